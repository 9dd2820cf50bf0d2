@d
@e(1)
async def f[T: int = str, *Ts, **P](a, /, b: int = 1, *c: *Ts, d, e=2, **g) -> x:
    """doc"""
    async with a as b, (c as d): pass
    async for x, *y in z:
        await w
    else: yield from q
    return (yield), *a
class A[T](B, metaclass=M, *a, **k):
    x: int
    (y): int = 1
    a.b[c]: str
type X[T] = list[T]
try: pass
except* (A, B) as e: raise X from Y
else: pass
finally: del a, b[0], (c)
with (open(a) as f, g): pass
with (yield): pass
while (n := f()) > 0 and not x or y is not None and z not in w: continue
if a: pass
elif b: break
else: global g, h; nonlocal i
from ...a.b import (c as d, e,)
from . import *
import a.b as c, d
assert x, "m"
x = y = z = 1_000 + 0x_ff - 0o17 * 0b1 / 1.5e-3 // .5j % 2. @ 3 ** -4 << 1 >> 2 & 3 | 4 ^ ~5
x += lambda *a, k=1: a if b else c
print >>sys.stderr, "x"
