[x async for x in y if a if b for z in w]
{k: v for k, v in a.items()} | {x for x in y} | {**a, 'b': c, **d} | {*a, b} | {}
f(x for x in y)(*a, **b, c=d, e:=1)[1:2:3, ::, *a, ...]((a), (), (b,), (*c, d))
[*a, (yield)]; (x for x in y); (a := 1); not a; await b; - + ~c; a < b <= c != d == e > f >= g in h
