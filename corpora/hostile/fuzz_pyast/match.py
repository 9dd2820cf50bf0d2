match x, *y:
    case 1 | -2.5 + 3j | "a" "b" | None as z if w: pass
    case [a, *_, b] | (c, d) | (e) | (): pass
    case {"k": v, A.b: _, **rest}: pass
    case A.B(1, x, k=[*r]) : pass
    case *a, b: pass
match = 1
match(x)
match[x]: int
match x:
  broken
  case 1: pass
