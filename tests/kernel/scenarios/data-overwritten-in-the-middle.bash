# 15.13: whole blocks of an overwritten range.
before() { put f 0 262144; }
after() { put f 102400 10240 2; }
expect() { lines_in_order "$1" "write f offset=102400 len=12288" "utimes f "; }
