# Draws a panel of bars.  bench_plot.c writes panel, n_panels and title_text, and the datablock $data, whose lines have a
# group's name (two words), its bars in GB/s, and the bound of the last bar.
if (panel == 1) {
	set terminal svg size 1240,330*n_panels font 'sans-serif,12' background 'white'
	set multiplot layout n_panels,1
	set datafile separator '\t'
	set style data histograms
	set style histogram clustered gap 1
	set style fill solid noborder
	set style textbox opaque noborder margins 0.4,0.2
	# Pictures of different machines can be compared: the scale is always the same.
	set logscale y
	set yrange [0.01:2000]
	set format y '%g'
	set ylabel 'GB/s'
	set grid y lc rgb '#d9d9d9'
	set xtics nomirror scale 0 font ',9'
	set lmargin 9
	set rmargin 34
	set key at graph 1.02, graph 1 left top Left reverse samplen 1
}
CHOSEN = 8
BOUND = 9
colours = "- #bdbdbd #737373 #fdae6b #a1d99b #238b45 #9ecae1 #08519c"
array titles[CHOSEN] = ["", "reference implementation, 1 thread", "bitsliced, 1 thread", "libgcrypt, 1 thread", \
	"libcrypto, 1 thread", "libcrypto, all threads", "kernel, the policy's placement", "kernel, chosen"]
# gnuplot fails if all values of a plot are NaN.
has(c) = (sum [i=1:|$data|] (word($data[i], c + 1) ne 'NaN')) > 0
bars = ''
do for [c=2:CHOSEN] { if (has(c)) { bars = bars.' '.c } }
bar(i) = int(word(bars, i))
# gnuplot puts n bars of the width 1 / (n + gap) around each group's place.
width = 1.0 / (words(bars) + 1)
place = (words(bars) - 1) / 2.0 * width
set xrange [-0.6:|$data| - 0.4]
set title title_text offset 0,-0.5
# The bound of the chosen kernel is above its bar, and its speed above both: a bound that is near would be covered.
bound = has(BOUND) ? ", $data using ($0 + place):BOUND:(0.5 * width) with xerrorbars pt 0 lw 2 lc rgb '#d7301f' \
	title 'its bound'" : ''
top(bound, speed) = bound > speed && bound < 1.8 * speed ? bound : speed
speed = has(CHOSEN) ? ", $data using ($0 + place):(top(column(BOUND), column(CHOSEN))):(sprintf('%.3g', column(CHOSEN))) \
	with labels boxed offset 0,0.6 font ',9' textcolor rgb word(colours, CHOSEN) notitle" : ''
plot for [i=1:words(bars)] $data using (column(bar(i))):xtic(1) lc rgb word(colours, bar(i)) title titles[bar(i)] @bound @speed
if (panel == n_panels) { unset multiplot }
