#include <algorithm>

#include "syntax/tree_builder.h"

namespace shapewise {
namespace {

/// Levels of nodes in nodes: Python itself refuses 200 brackets, but chains of operators are levels
/// here, too.
constexpr int kMaxExpressionDepth = 400;

/// How tightly a binary operator binds, as in Python's reference, 6.17.
int PrecedenceOf(std::string_view text) {
  if (text == "|") return 1;
  if (text == "^") return 2;
  if (text == "&") return 3;
  if (text == "<<" || text == ">>") return 4;
  if (text == "+" || text == "-") return 5;
  return text == "**" ? 7 : 6;
}

}  // namespace

const Expr* TreeBuilder::Unreadable(ByteSpan span) {
  Expr* made = New<Expr>(span);
  made->text = Text(span);
  return made;
}

const Expr* TreeBuilder::Expression() {
  if (depth_ >= kMaxExpressionDepth) return Unreadable(Span());
  ++depth_;
  const Expr* made = ExpressionOf(Kind());
  --depth_;
  return made;
}

const Expr* TreeBuilder::ExpressionOf(GrammarKind kind) {
  switch (kind) {
    case GrammarKind::kIdentifier:
      return Identifier();
    case GrammarKind::kInteger: {
      // An imaginary number is no int.
      const std::string_view text = Text();
      const bool is_imaginary = !text.empty() && (text.back() == 'j' || text.back() == 'J');
      return Leaf(is_imaginary ? PythonExprKind::kFloat : PythonExprKind::kInteger);
    }
    case GrammarKind::kFloat:
      return Leaf(PythonExprKind::kFloat);
    case GrammarKind::kString:
      return StringLiteral();
    case GrammarKind::kConcatenatedString:
      return ConcatenatedString();
    case GrammarKind::kTrue:
      return Leaf(PythonExprKind::kTrue);
    case GrammarKind::kFalse:
      return Leaf(PythonExprKind::kFalse);
    case GrammarKind::kNone:
      return Leaf(PythonExprKind::kNone);
    case GrammarKind::kEllipsis:
      return Leaf(PythonExprKind::kEllipsis);
    case GrammarKind::kAttribute:
    case GrammarKind::kMemberType:
      return Attribute();
    case GrammarKind::kCall:
      return Call();
    case GrammarKind::kSubscript:
      return Subscript();
    case GrammarKind::kSlice:
      return Slice();
    case GrammarKind::kUnary:
      return Unary();
    case GrammarKind::kNot:
      return Operand(PythonExprKind::kNot);
    case GrammarKind::kBinary:
    case GrammarKind::kUnionType:
      return Binary();
    case GrammarKind::kCompare:
      return Compare();
    case GrammarKind::kBoolean:
      return Boolean();
    case GrammarKind::kConditional:
      return Conditional();
    case GrammarKind::kLambda:
      return Lambda();
    case GrammarKind::kTuple:
    case GrammarKind::kExpressionList:
      return Items(PythonExprKind::kTuple);
    case GrammarKind::kList:
      return Items(PythonExprKind::kList);
    case GrammarKind::kSet:
      return Items(PythonExprKind::kSet);
    case GrammarKind::kDictionary:
      return Dictionary();
    case GrammarKind::kListComprehension:
      return Comprehension(PythonExprKind::kListComprehension);
    case GrammarKind::kSetComprehension:
      return Comprehension(PythonExprKind::kSetComprehension);
    case GrammarKind::kGeneratorExpression:
      return Comprehension(PythonExprKind::kGeneratorExpression);
    case GrammarKind::kDictionaryComprehension:
      return Comprehension(PythonExprKind::kDictComprehension);
    case GrammarKind::kSplat:
    case GrammarKind::kDictionarySplat:
      return Operand(PythonExprKind::kStarred);
    case GrammarKind::kAwait:
      return Operand(PythonExprKind::kAwait);
    case GrammarKind::kYield:
      return Yield();
    case GrammarKind::kNamed:
      return Named();
    case GrammarKind::kParenthesized:
    case GrammarKind::kAsPattern:
    case GrammarKind::kType:
    case GrammarKind::kConstrainedType:
      return Inner();
    case GrammarKind::kGenericType:
      return GenericType();
    default:
      return Unreadable(Span());
  }
}

/// The grammar reads `*f(x)` as a call of `*f` where it takes the star for that of a target.
const Expr* TreeBuilder::HoistStar(Expr* made) {
  if (made->left == nullptr || made->left->kind != PythonExprKind::kStarred ||
      made->left->span.begin != made->span.begin) {
    return made;
  }
  Expr* starred = New<Expr>(made->span);
  starred->kind = PythonExprKind::kStarred;
  starred->left = made;
  made->left = made->left->left;
  made->span.begin = made->left->span.begin;
  return starred;
}

/// The grammar has `^` bind tighter than `&`, and unions of types to the right; Python does not.
/// Whether an operand stands in parentheses is seen by its place.
Expr* TreeBuilder::Reassociated(Expr* made) {
  const Expr* left = made->left;
  const Expr* right = made->right;
  const int precedence = PrecedenceOf(made->text);
  if (precedence > 3) return made;
  if (right->kind == PythonExprKind::kBinary && right->span.end == made->span.end &&
      PrecedenceOf(right->text) <= precedence) {
    // a & (b ^ c) -> (a & b) ^ c
    Expr* inner = New<Expr>({made->span.begin, right->left->span.end});
    inner->kind = PythonExprKind::kBinary;
    inner->text = made->text;
    inner->left = left;
    inner->right = right->left;
    made->text = right->text;
    made->left = Reassociated(inner);
    made->right = right->right;
    return Reassociated(made);
  }
  if (left->kind == PythonExprKind::kBinary && left->span.begin == made->span.begin &&
      PrecedenceOf(left->text) < precedence) {
    // (a ^ b) & c -> a ^ (b & c)
    Expr* inner = New<Expr>({left->right->span.begin, made->span.end});
    inner->kind = PythonExprKind::kBinary;
    inner->text = made->text;
    inner->left = left->right;
    inner->right = right;
    made->text = left->text;
    made->left = left->left;
    made->right = Reassociated(inner);
  }
  return made;
}

const Expr* TreeBuilder::Inner() {
  const Expr* inner = nullptr;
  EachChild([&](GrammarKind kind) {
    if (inner == nullptr && IsExpression(kind)) inner = Expression();
  });
  return inner != nullptr ? inner : Unreadable(Span());
}

const Expr* TreeBuilder::Leaf(PythonExprKind kind) {
  Expr* made = New<Expr>(Span());
  made->kind = kind;
  made->text = Text(made->span);
  return made;
}

/// A name, or what UnitText folds into one: names with dots between them, or a plain string.
const Expr* TreeBuilder::Identifier() {
  const ByteSpan span = Span();
  const std::string_view text = Text(span);
  if (!text.empty() && (text.back() == '"' || text.back() == '\''))
    return Leaf(PythonExprKind::kString);
  return Chain(nullptr, span, span.begin);
}

/// `left`.a.b.c, or a.b.c; `names` is the span of "a.b.c", and `begin` where the whole begins.
const Expr* TreeBuilder::Chain(const Expr* left, ByteSpan names, uint32_t begin) {
  const std::string_view text = Text(names);
  int levels = 0;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('.', at), text.size());
    if (left != nullptr && depth_ + ++levels > kMaxExpressionDepth) {
      return Unreadable({begin, names.end});
    }
    Expr* made = New<Expr>({begin, names.begin + static_cast<uint32_t>(end)});
    made->kind = left != nullptr ? PythonExprKind::kAttribute : PythonExprKind::kName;
    made->text = text.substr(at, end - at);
    made->left = left;
    left = made;
    at = end + 1;
  }
  return left;
}

bool TreeBuilder::IsFormatted(ByteSpan span) const {
  for (const char c : Text(span)) {
    if (c == '"' || c == '\'') return false;
    if (c == 'f' || c == 'F' || c == 't' || c == 'T') return true;
  }
  return false;
}

void TreeBuilder::AddInterpolations() {
  EachChild([&](GrammarKind kind) {
    if (kind != GrammarKind::kInterpolation) return;
    EachChild([&](GrammarKind part) {
      if (IsExpression(part)) exprs_.push_back(Expression());
      // `{x:=10}` is no assignment: "=10" is how x is formatted.
      if (part == GrammarKind::kNamed) exprs_.back() = exprs_.back()->left;
      if (part == GrammarKind::kFormatSpecifier && depth_ < kMaxExpressionDepth) {
        ++depth_;
        AddInterpolations();
        --depth_;
      }
    });
  });
}

const Expr* TreeBuilder::StringLiteral() {
  Expr* made = New<Expr>(Span());
  made->text = Text(made->span);
  made->kind = PythonExprKind::kString;
  if (!IsFormatted(made->span)) return made;
  made->kind = PythonExprKind::kFormatted;
  const size_t from = exprs_.size();
  AddInterpolations();
  made->items = Take(exprs_, from);
  return made;
}

const Expr* TreeBuilder::ConcatenatedString() {
  Expr* made = New<Expr>(Span());
  made->text = Text(made->span);
  made->kind = PythonExprKind::kString;
  const size_t from = exprs_.size();
  EachChild([&](GrammarKind kind) {
    if (kind != GrammarKind::kString || !IsFormatted(Span())) return;
    made->kind = PythonExprKind::kFormatted;
    AddInterpolations();
  });
  made->items = Take(exprs_, from);
  return made;
}

const Expr* TreeBuilder::Attribute() {
  const uint32_t begin = Span().begin;
  const Expr* left = nullptr;
  ByteSpan names;
  EachChild([&](GrammarKind kind) {
    if (left == nullptr && IsExpression(kind)) {
      left = Expression();
    } else if (kind == GrammarKind::kIdentifier) {
      names = Span();
    }
  });
  if (left == nullptr) left = Unreadable(Span());
  if (left->kind == PythonExprKind::kStarred && left->span.begin == begin) {  // as in HoistStar
    Expr* starred = New<Expr>(Span());
    starred->kind = PythonExprKind::kStarred;
    starred->left = Chain(left->left, names, left->left->span.begin);
    return starred;
  }
  // A bracket around what is left belongs to the attribute.
  return Chain(left, names, begin);
}

const Expr* TreeBuilder::Subscript() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kSubscript;
  const size_t from = exprs_.size();
  EachChild([&](GrammarKind kind) {
    if (!IsExpression(kind)) return;
    const Expr* part = Expression();
    if (made->left == nullptr) {
      made->left = part;
    } else {
      exprs_.push_back(part);
    }
  });
  made->items = Take(exprs_, from);
  if (made->left == nullptr) made->left = Unreadable(made->span);
  return HoistStar(made);
}

const Expr* TreeBuilder::Slice() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kSlice;
  int colons = 0;
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kColon) {
      ++colons;
    } else if (IsExpression(kind)) {
      (colons == 0 ? made->left : colons == 1 ? made->right : made->third) = Expression();
    }
  });
  return made;
}

const Expr* TreeBuilder::Operand(PythonExprKind kind) {
  Expr* made = New<Expr>(Span());
  made->kind = kind;
  EachChild([&](GrammarKind part) {
    if (IsExpression(part)) made->left = Expression();
  });
  if (made->left == nullptr) made->left = Unreadable(made->span);
  const Expr* power = made->left;
  if (kind != PythonExprKind::kAwait || power->kind != PythonExprKind::kBinary ||
      power->text != "**" || power->span.end != made->span.end) {
    return made;
  }
  // The grammar reads `await x ** 2` as `await (x ** 2)`.
  Expr* outer = New<Expr>(made->span);
  outer->kind = PythonExprKind::kBinary;
  outer->text = power->text;
  outer->left = made;
  outer->right = power->right;
  made->left = power->left;
  made->span.end = power->left->span.end;
  return outer;
}

const Expr* TreeBuilder::Unary() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kUnary;
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kBinaryOperator) made->text = kinds_.OperatorText(Node().symbol);
    if (IsExpression(kind)) made->left = Expression();
  });
  if (made->left == nullptr) made->left = Unreadable(made->span);
  return made;
}

const Expr* TreeBuilder::Binary() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kBinary;
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kBinaryOperator) made->text = kinds_.OperatorText(Node().symbol);
    if (IsExpression(kind)) (made->left == nullptr ? made->left : made->right) = Expression();
  });
  if (made->left == nullptr) made->left = Unreadable(made->span);
  if (made->right == nullptr) made->right = Unreadable(made->span);
  return HoistStar(Reassociated(made));
}

const Expr* TreeBuilder::Compare() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kCompare;
  const size_t from = exprs_.size();
  const size_t from_operators = operators_.size();
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kCompareOperator) operators_.push_back(kinds_.Compare(Node().symbol));
    if (IsExpression(kind)) exprs_.push_back(Expression());
  });
  while (exprs_.size() - from <= operators_.size() - from_operators) {
    exprs_.push_back(Unreadable(made->span));
  }
  while (operators_.size() - from_operators + 1 < exprs_.size() - from) exprs_.pop_back();
  made->items = Take(exprs_, from);
  made->operators = Take(operators_, from_operators);
  return made;
}

const Expr* TreeBuilder::Boolean() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kAnd;
  const size_t from = exprs_.size();
  bool is_parenthesized = false;
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kOr) made->kind = PythonExprKind::kOr;
    if (!IsExpression(kind)) return;
    if (exprs_.size() == from) is_parenthesized = kind == GrammarKind::kParenthesized;
    exprs_.push_back(Expression());
  });
  // `a and b and c` is one, though the grammar has a pair in a pair.
  if (exprs_.size() == from + 2 && !is_parenthesized && exprs_[from]->kind == made->kind) {
    const Expr* last = exprs_.back();
    const llvm::ArrayRef<const Expr*> before = exprs_[from]->items;
    exprs_.resize(from);
    exprs_.insert(exprs_.end(), before.begin(), before.end());
    exprs_.push_back(last);
  }
  made->items = Take(exprs_, from);
  return made;
}

const Expr* TreeBuilder::Conditional() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kConditional;
  EachChild([&](GrammarKind kind) {
    if (!IsExpression(kind)) return;
    (made->left == nullptr    ? made->left
     : made->third == nullptr ? made->third
                              : made->right) = Expression();
  });
  for (const Expr** part : {&made->left, &made->third, &made->right}) {
    if (*part == nullptr) *part = Unreadable(made->span);
  }
  return made;
}

const Expr* TreeBuilder::Lambda() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kLambda;
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kParameters) made->parameters = Parameters();
    if (IsExpression(kind)) made->left = Expression();
  });
  if (made->left == nullptr) made->left = Unreadable(made->span);
  return made;
}

const Expr* TreeBuilder::Items(PythonExprKind kind) {
  Expr* made = New<Expr>(Span());
  made->kind = kind;
  const size_t from = exprs_.size();
  bool has_comma = false;
  EachChild([&](GrammarKind part) {
    has_comma |= part == GrammarKind::kComma;
    if (IsExpression(part)) exprs_.push_back(Expression());
  });
  made->items = Take(exprs_, from);
  // A target in parentheses is a tuple to the grammar.
  const bool is_one = kind == PythonExprKind::kTuple && !has_comma && made->items.size() == 1;
  return is_one ? made->items[0] : made;
}

void TreeBuilder::AddPair() {
  const size_t from = exprs_.size();
  EachChild([&](GrammarKind kind) {
    if (IsExpression(kind) && exprs_.size() < from + 2) exprs_.push_back(Expression());
  });
  while (exprs_.size() < from + 2) exprs_.push_back(Unreadable(Span()));
}

const Expr* TreeBuilder::Dictionary() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kDict;
  const size_t from = exprs_.size();
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kPair) {
      AddPair();
    } else if (kind == GrammarKind::kDictionarySplat) {
      exprs_.push_back(nullptr);
      exprs_.push_back(Inner());
    }
  });
  made->items = Take(exprs_, from);
  return made;
}

void TreeBuilder::AddClause() {
  ComprehensionClause clause;
  const size_t from = exprs_.size();
  ByteSpan iterables;
  EachChild([&](GrammarKind kind) {
    if (!IsExpression(kind)) return;
    const Expr* part = Expression();
    if (clause.target == nullptr) {
      clause.target = part;
      return;
    }
    if (exprs_.size() == from) iterables.begin = part->span.begin;
    iterables.end = part->span.end;
    exprs_.push_back(part);
  });
  if (clause.target == nullptr) clause.target = Unreadable(Span());
  if (exprs_.size() == from) exprs_.push_back(Unreadable(Span()));
  if (exprs_.size() == from + 1) {
    clause.iterable = exprs_[from];
    exprs_.resize(from);
  } else {  // Python 2: `for x in 1, 2`
    Expr* tuple = New<Expr>(iterables);
    tuple->kind = PythonExprKind::kTuple;
    tuple->items = Take(exprs_, from);
    clause.iterable = tuple;
  }
  clauses_.push_back(clause);
}

const Expr* TreeBuilder::Comprehension(PythonExprKind kind) {
  Expr* made = New<Expr>(Span());
  made->kind = kind;
  const size_t from = clauses_.size();
  const size_t from_conditions = exprs_.size();
  const auto end_clause = [&] {
    if (clauses_.size() > from) clauses_.back().conditions = Take(exprs_, from_conditions);
  };
  EachChild([&](GrammarKind part) {
    if (part == GrammarKind::kForInClause) {
      end_clause();
      AddClause();
    } else if (part == GrammarKind::kIfClause) {
      exprs_.push_back(Inner());
    } else if (part == GrammarKind::kPair) {
      const size_t pair = exprs_.size();
      AddPair();
      made->left = exprs_[pair];
      made->right = exprs_[pair + 1];
      exprs_.resize(pair);
    } else if (made->left == nullptr && IsExpression(part)) {
      made->left = Expression();
    }
  });
  end_clause();
  exprs_.resize(from_conditions);
  made->clauses = Take(clauses_, from);
  if (made->left == nullptr) made->left = Unreadable(made->span);
  if (kind == PythonExprKind::kDictComprehension && made->right == nullptr)
    made->right = made->left;
  return made;
}

const Expr* TreeBuilder::Yield() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kYield;
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kFrom) made->kind = PythonExprKind::kYieldFrom;
    if (IsExpression(kind)) made->left = Expression();
  });
  if (made->kind == PythonExprKind::kYieldFrom && made->left == nullptr) {
    made->left = Unreadable(made->span);
  }
  return made;
}

const Expr* TreeBuilder::Named() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kNamed;
  EachChild([&](GrammarKind kind) {
    if (IsExpression(kind)) (made->left == nullptr ? made->left : made->right) = Expression();
  });
  if (made->left == nullptr) made->left = Unreadable(made->span);
  if (made->right == nullptr) made->right = Unreadable(made->span);
  return made;
}

const Expr* TreeBuilder::GenericType() {
  Expr* made = New<Expr>(Span());
  made->kind = PythonExprKind::kSubscript;
  const size_t from = exprs_.size();
  EachChild([&](GrammarKind kind) {
    if (made->left == nullptr && IsExpression(kind)) made->left = Expression();
    if (kind != GrammarKind::kTypeParameter) return;
    EachChild([&](GrammarKind part) {
      if (IsExpression(part)) exprs_.push_back(Expression());
    });
  });
  made->items = Take(exprs_, from);
  if (made->left == nullptr) made->left = Unreadable(made->span);
  return made;
}

}  // namespace shapewise
