# What the scenarios with forged input share; beside tests/scenarios/lib.sh, which it sources.
# Run them by `make check-hostile`; GCRYPT=… SCENARIOS=tests/hostile tests/scenarios/run runs them with another program.
# shellcheck shell=bash
# shellcheck source=tests/scenarios/lib.sh
. "${BASH_SOURCE[0]%/*}/../scenarios/lib.sh"
PYTHONPATH=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd) # python3 finds the package containers
export PYTHONPATH
PPF=${GCRYPT%/*}/ppf
export PPF

# forge COMMAND…: see forge.py.
forge() { python3 "${BASH_SOURCE[0]%/*}/forge.py" "$@"; }
