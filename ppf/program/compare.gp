# A row of the table: label, SI, SA, estimate and measured rate.
set datafile separator '\t'
set datafile commentschars ''
set terminal svg size 840,110+22*|$rows| font 'sans-serif,12' background 'white' noenhanced
set logscale x
set grid x lc '#d9d9d9'
set xlabel 'GB/s'
set yrange [|$rows|-0.5:-0.5]
set key outside top horizontal
plot $rows using 2:0:($3-$2):(0):ytic(strcol(1)[1:48]) with vectors nohead lw 6 lc '#9ecae1' title 'bounds, SI to SA', \
     $rows using 4:0 with points pt 7 ps 0.8 lc '#08306b' title 'estimate', \
     $rows using 5:0 with points pt 9 ps 1.2 lc '#d7301f' title measured
