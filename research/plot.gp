# Draws the datablock $data, whose lines have a row's name, its x and its values.  ppf-study writes the variables first.
set terminal svg size 1100,(bars ? 620 : 480) font 'sans-serif,12' background 'white'
set title title_text noenhanced
set xlabel x_text noenhanced
set ylabel y_text noenhanced
set grid y lc rgb '#d9d9d9'
set format y '%g'
set key outside top center horizontal Left reverse samplen 1
if (bars) {
	set xrange [-0.6:n_rows - 0.4]
	set style data histograms
	set style histogram clustered gap 1
	set style fill solid noborder
	# Names that do not fit side by side are rotated.
	if (letters > 140) { set lmargin 14 }
	if (letters > 140) { set xtics noenhanced nomirror scale 0 rotate by 40 right font ',11' }
	else { set xtics noenhanced nomirror scale 0 font ',11' }
}
if (log_x) { set logscale x 2 }
if (log_x && n_rows == 1) { set xrange [first_x / 2:2 * first_x] } # a single point needs a range around it
# On a logarithmic scale, bars start at the power of ten below all values.
if (log_y && least > 0) { set logscale y; set yrange [10 ** floor(log10(least / 1.2)):*] }
if (!log_y && least < 0) { set yrange [*<0:0<*]; set xzeroaxis lt -1 }
if (!log_y && least >= 0) { set yrange [0:*] }
# Printed series have lighter colours.  Lines have point marks, because a series may have only one point.
colours = "#08519c #d7301f #238b45 #fd8d3c #6a51a3 #252525 #0097a7 #8d6e63"
lighter = "#9ecae1 #fcae91 #a1d99b #fdd0a2 #cbc9e2 #bdbdbd #b2ebf2 #d7ccc8"
colour(i) = word(printed[i] ? lighter : colours, 1 + used[i] % 8)
if (bars) {
	plot for [i=1:n_series] $data using (column(i + 2)):xtic(1) lc rgb colour(i) title names[i] noenhanced
} else {
	plot for [i=1:n_series] $data using 2:(column(i + 2)) with linespoints pt 4 + (i - 1) % 10 ps 0.6 lw 2 \
		dt 1 + printed[i] lc rgb colour(i) title names[i] noenhanced
}
