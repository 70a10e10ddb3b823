typedef unsigned word;
