# Draws the panels of a cipher: the kernel's cycles over the size, as in the dissertation's figures 6.8 and 6.9, and beside
# it the throughput from memory to memory.  advise_plot.c writes panel, n_panels and n_columns; suite; and for each row
# of the cipher the datablock $row1, …, whose lines have bytes; SA, SI, estimate and measurement of the kernel in cycles;
# prediction and measurement from memory to memory in GB/s; and its names, colour, mark and whether it was measured.
# kernel is the row whose kernel is drawn (0: none).
if (panel == 1) {
	set terminal svg size 560*n_columns,340*n_panels font 'sans-serif,12' background 'white'
	set multiplot layout n_panels,n_columns
	set logscale y
	set logscale x 2
	set format x '%.0b %BB'
	set xtics 262144,16
	set grid lc '#d9d9d9'
	set xlabel 'input' offset 0,0.5
	set key Left reverse samplen 2
	set lmargin 9
	set rmargin 3
}
if (kernel > 0) {
	set title suite.': the kernel on '.kernel_name
	set ylabel 'core cycles'
	set format y '10^{%T}'
	set key top left
	eval sprintf("plot $row%d using 1:2:3 with filledcurves fc '#9ecae1' title 'bounds: all overlaps (SA) to nothing \
overlaps (SI)', $row%d using 1:4 with lines lc '#08306b' lw 2 title 'overlap estimate'%s", kernel, kernel, \
		kernel_measured ? sprintf(", $row%d using 1:5 with points pt 7 ps 0.7 lc '#d7301f' title 'measured'", kernel) : '')
} else { if (n_columns > 1) { set multiplot next } }
set title suite.': memory to memory'
set ylabel 'GB/s'
set format y '%g'
set key bottom right
# By engine: the CPU, then the devices, the last one for all together.
colours = "#1b7837 #08519c #762a83 #b35806 #d7301f"
curves = 'plot '
do for [i=1:n_rows] {
	curves = curves.sprintf("%s$row%d using 1:6 with lines lc '%s' lw 2 title '%s, predicted'", i > 1 ? ', ' : '', i, \
		word(colours, colour[i]), names[i])
	if (measured[i]) {
		curves = curves.sprintf(", $row%d using 1:7 with points pt %d ps 0.7 lc '%s' title '%s, measured'", i, mark[i], \
			word(colours, colour[i]), names[i])
	}
}
eval curves
if (panel == n_panels) { unset multiplot }
