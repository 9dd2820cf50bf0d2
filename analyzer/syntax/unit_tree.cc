#include "syntax/unit_tree.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace shapewise {
namespace {

/// Maximum depth of nodes. Python rejects 200 brackets and 100 blocks; chains of operators and of
/// `elif` are levels, too.
constexpr int kMaxTreeDepth = 400;

/// An operator of one or two operands, as written.
std::string_view OperatorText(pyast::Operator op) {
  constexpr std::string_view kTexts[] = {"and", "or", "+", "-", "*",  "@", "/",   "%", "**", "<<",
                                         ">>",  "|",  "^", "&", "//", "~", "not", "+", "-"};
  return kTexts[static_cast<size_t>(op)];
}

CompareOperator ComparisonOf(pyast::Operator op) {
  using enum CompareOperator;
  constexpr CompareOperator kComparisons[] = {
      kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kIs, kIsNot, kIn, kNotIn};
  return kComparisons[static_cast<size_t>(op) - static_cast<size_t>(pyast::Operator::kEq)];
}

PythonExprKind KindOf(pyast::ConstantKind kind) {
  switch (kind) {
    case pyast::ConstantKind::kNone:
      return PythonExprKind::kNone;
    case pyast::ConstantKind::kTrue:
      return PythonExprKind::kTrue;
    case pyast::ConstantKind::kFalse:
      return PythonExprKind::kFalse;
    case pyast::ConstantKind::kEllipsis:
      return PythonExprKind::kEllipsis;
    case pyast::ConstantKind::kInt:
      return PythonExprKind::kInteger;
    case pyast::ConstantKind::kFloat:
    case pyast::ConstantKind::kComplex:
      return PythonExprKind::kFloat;
    case pyast::ConstantKind::kString:
    case pyast::ConstantKind::kBytes:
      return PythonExprKind::kString;
  }
  return PythonExprKind::kUnreadable;
}

}  // namespace

template <typename List>
auto UnitTree::Keep(const List& list) {
  using Element = std::remove_cvref_t<decltype(list[0])>;
  return ArenaList<Element>::Copy(list, arena_);
}

ArenaText UnitTree::Text(std::string_view text) const {
  const std::string_view parsed = unit_.parsed();
  if (text.empty()) return {};
  const std::less_equal<const char*> is_before;
  if (is_before(parsed.data(), text.data()) &&
      is_before(text.data() + text.size(), parsed.data() + parsed.size())) {
    const auto begin = static_cast<uint32_t>(text.data() - parsed.data());
    return ArenaText(unit_.Text(unit_.Original(begin, begin + static_cast<uint32_t>(text.size()))));
  }
  char* copy = arena_.Allocate<char>(text.size());
  std::ranges::copy(text, copy);
  return ArenaText({copy, text.size()});
}

// Statements.

ArenaList<const Stmt*> UnitTree::Block(pyast::Stmts body) {
  Stmts made;
  for (const pyast::Stmt* statement : body) AddStatement(*statement, made);
  return Keep(made);
}

void UnitTree::AddStatement(const pyast::Stmt& statement, Stmts& to) {
  const ByteSpan span = Place(statement);
  // Code was removed from the unit here.
  if (statement.kind == pyast::Kind::kPass && unit_.Text(span) != "pass") return;
  const auto* error = llvm::dyn_cast<pyast::ErrorStmt>(&statement);
  // A block that is too deep has no line of its own that could be marked unreadable.
  const bool is_block = error != nullptr && !error->body.empty() &&
                        error->body.front()->span.begin == statement.span.begin;
  Stmt* made = nullptr;
  if (!is_block) {
    made = new (arena_.Allocate<Stmt>()) Stmt();
    made->span = span;
    to.push_back(made);
  }
  if (depth_ >= kMaxTreeDepth) return;
  ++depth_;
  if (error == nullptr) {
    Fill(statement, *made);
  } else {
    for (const pyast::Stmt* inner : error->body) AddStatement(*inner, to);
  }
  --depth_;
}

template <typename Conditional>
void UnitTree::FillConditional(const Conditional& from, Stmt& made) {
  made.value = Expression(from.test);
  made.body = Block(from.body);
  made.orelse = Block(from.orelse);
}

void UnitTree::Fill(const pyast::Stmt& statement, Stmt& made) {
  const auto as = [&]<typename Node>(StmtKind kind) -> const Node& {
    made.kind = kind;
    return llvm::cast<Node>(statement);
  };
  switch (statement.kind) {
    case pyast::Kind::kExprStmt:
      made.value = Expression(as.operator()<pyast::ExprStmt>(StmtKind::kExpression).value);
      break;
    case pyast::Kind::kAssign: {
      const auto& from = as.operator()<pyast::Assign>(StmtKind::kAssign);
      made.targets = Expressions(from.targets);
      made.value = Expression(from.value);
      break;
    }
    case pyast::Kind::kTypeAlias: {
      const auto& from = as.operator()<pyast::TypeAlias>(StmtKind::kAssign);
      made.targets = Expressions(from.name);
      made.value = Expression(from.value);
      break;
    }
    case pyast::Kind::kAugAssign: {
      const auto& from = as.operator()<pyast::AugAssign>(StmtKind::kAugmented);
      made.text = ArenaText(OperatorText(from.op));
      made.targets = Expressions(from.target);
      made.value = Expression(from.value);
      break;
    }
    case pyast::Kind::kAnnAssign: {
      const auto& from = as.operator()<pyast::AnnAssign>(StmtKind::kAnnotated);
      made.targets = Expressions(from.target);
      made.annotation = Expression(from.annotation);
      made.value = Expression(from.value);
      break;
    }
    case pyast::Kind::kReturn:
      made.value = Expression(as.operator()<pyast::Return>(StmtKind::kReturn).value);
      break;
    case pyast::Kind::kIf:
      FillConditional(as.operator()<pyast::If>(StmtKind::kIf), made);
      break;
    case pyast::Kind::kWhile:
      FillConditional(as.operator()<pyast::While>(StmtKind::kWhile), made);
      break;
    case pyast::Kind::kFor:
      FillLoop(llvm::cast<pyast::For>(statement), made);
      break;
    case pyast::Kind::kAsyncFor:
      made.is_async = true;
      FillLoop(llvm::cast<pyast::AsyncFor>(statement), made);
      break;
    case pyast::Kind::kWith:
      FillWith(llvm::cast<pyast::With>(statement), made);
      break;
    case pyast::Kind::kAsyncWith:
      made.is_async = true;
      FillWith(llvm::cast<pyast::AsyncWith>(statement), made);
      break;
    case pyast::Kind::kTry:
      FillTry(llvm::cast<pyast::Try>(statement), made);
      break;
    case pyast::Kind::kTryStar:
      FillTry(llvm::cast<pyast::TryStar>(statement), made);
      break;
    case pyast::Kind::kRaise: {
      const auto& from = as.operator()<pyast::Raise>(StmtKind::kRaise);
      made.value = Expression(from.exc);
      made.cause = Expression(from.cause);
      break;
    }
    case pyast::Kind::kAssert: {
      const auto& from = as.operator()<pyast::Assert>(StmtKind::kAssert);
      made.value = Expression(from.test);
      made.message = Expression(from.msg);
      break;
    }
    case pyast::Kind::kDelete:
      made.targets = Expressions(as.operator()<pyast::Delete>(StmtKind::kDelete).targets);
      break;
    case pyast::Kind::kPass:
      made.kind = StmtKind::kPass;
      break;
    case pyast::Kind::kBreak:
      made.kind = StmtKind::kBreak;
      break;
    case pyast::Kind::kContinue:
      made.kind = StmtKind::kContinue;
      break;
    case pyast::Kind::kGlobal:
      made.names = Names(as.operator()<pyast::Global>(StmtKind::kGlobal).names);
      break;
    case pyast::Kind::kNonlocal:
      made.names = Names(as.operator()<pyast::Nonlocal>(StmtKind::kNonlocal).names);
      break;
    case pyast::Kind::kImport:
      made.imports = Imports(as.operator()<pyast::Import>(StmtKind::kImport).names);
      break;
    case pyast::Kind::kImportFrom: {
      const auto& from = as.operator()<pyast::ImportFrom>(StmtKind::kImportFrom);
      made.text = Text(from.module);
      made.dots = static_cast<uint8_t>(std::min(from.level, 255));
      made.imports = Imports(from.names);
      break;
    }
    case pyast::Kind::kFunctionDef:
      FillFunction(llvm::cast<pyast::FunctionDef>(statement), made);
      break;
    case pyast::Kind::kAsyncFunctionDef:
      made.is_async = true;
      FillFunction(llvm::cast<pyast::AsyncFunctionDef>(statement), made);
      break;
    case pyast::Kind::kClassDef:
      FillClass(llvm::cast<pyast::ClassDef>(statement), made);
      break;
    case pyast::Kind::kMatch:
      FillMatch(llvm::cast<pyast::Match>(statement), made);
      break;
    default:
      break;
  }
}

template <typename Loop>
void UnitTree::FillLoop(const Loop& from, Stmt& made) {
  made.kind = StmtKind::kFor;
  made.targets = Expressions(from.target);
  made.value = Expression(from.iter);
  made.body = Block(from.body);
  made.orelse = Block(from.orelse);
}

template <typename With>
void UnitTree::FillWith(const With& from, Stmt& made) {
  made.kind = StmtKind::kWith;
  llvm::SmallVector<WithItem, 4> items;
  for (const pyast::WithItem* item : from.items) {
    items.push_back({Expression(item->context_expr), Expression(item->optional_vars)});
  }
  made.with_items = Keep(items);
  made.body = Block(from.body);
}

template <typename Try>
void UnitTree::FillTry(const Try& from, Stmt& made) {
  made.kind = StmtKind::kTry;
  made.body = Block(from.body);
  llvm::SmallVector<Branch, 4> handlers;
  for (const pyast::ExceptHandler* handler : from.handlers) {
    handlers.push_back({.test = Expression(handler->type),
                        .name = Text(handler->name),
                        .span = Place(*handler),
                        .body = Block(handler->body)});
  }
  made.handlers = Keep(handlers);
  made.orelse = Block(from.orelse);
  made.finally = Block(from.finalbody);
}

void UnitTree::FillMatch(const pyast::Match& from, Stmt& made) {
  made.kind = StmtKind::kMatch;
  made.value = Expression(from.subject);
  llvm::SmallVector<Branch, 8> cases;
  for (const pyast::MatchCase* each : from.cases) {
    cases.push_back({.test = Expression(each->guard),
                     .name = {},
                     .span = Place(*each),
                     .body = Block(each->body)});
  }
  made.handlers = Keep(cases);
}

template <typename Function>
void UnitTree::FillFunction(const Function& from, Stmt& made) {
  made.kind = StmtKind::kFunction;
  made.text = Text(from.name);
  Decorate(from.decorator_list, made);
  made.parameters = Parameters(from.args);
  made.returns = Expression(from.returns);
  made.body = Block(from.body);
}

void UnitTree::FillClass(const pyast::ClassDef& from, Stmt& made) {
  made.kind = StmtKind::kClass;
  made.text = Text(from.name);
  Decorate(from.decorator_list, made);
  made.arguments = Arguments(from.bases, from.keywords);
  made.body = Block(from.body);
}

/// CPython's places of functions and classes do not include their decorators; ours do.
void UnitTree::Decorate(pyast::Exprs decorators, Stmt& made) {
  if (decorators.empty()) return;
  made.decorators = Expressions(decorators);
  const size_t sign = unit_.parsed().rfind('@', decorators.front()->span.begin);
  made.span.begin = unit_.Original(static_cast<uint32_t>(sign), static_cast<uint32_t>(sign)).begin;
}

ArenaList<ArenaText> UnitTree::Names(pyast::Names names) {
  llvm::SmallVector<ArenaText, 8> made;
  for (const std::string_view name : names) made.push_back(Text(name));
  return Keep(made);
}

ArenaList<ImportedName> UnitTree::Imports(pyast::Aliases names) {
  llvm::SmallVector<ImportedName, 8> made;
  for (const pyast::Alias* name : names) made.push_back({Text(name->name), Text(name->asname)});
  return Keep(made);
}

// Expressions.

const Expr* UnitTree::Expression(const pyast::Expr* from) {
  if (from == nullptr) return nullptr;
  Expr* made = new (arena_.Allocate<Expr>()) Expr();
  made->span = Place(*from);
  if (depth_ >= kMaxTreeDepth) {
    made->text = ArenaText(unit_.Text(made->span));
    return made;
  }
  ++depth_;
  Fill(*from, *made);
  --depth_;
  return made;
}

ArenaList<const Expr*> UnitTree::Expressions(pyast::Exprs from) {
  Exprs made;
  for (const pyast::Expr* each : from) made.push_back(Expression(each));
  return Keep(made);
}

template <typename Comprehension>
void UnitTree::FillComprehension(const Comprehension& from, Expr& made) {
  made.left = Expression(from.elt);
  FillClauses(from.generators, made);
}

void UnitTree::Fill(const pyast::Expr& from, Expr& made) {
  const auto as = [&]<typename Node>(PythonExprKind kind) -> const Node& {
    made.kind = kind;
    return llvm::cast<Node>(from);
  };
  switch (from.kind) {
    case pyast::Kind::kName:
      made.text = Text(as.operator()<pyast::Name>(PythonExprKind::kName).id);
      break;
    case pyast::Kind::kConstant:
      made.kind = KindOf(llvm::cast<pyast::Constant>(from).type);
      made.text = ArenaText(unit_.Text(made.span));
      break;
    case pyast::Kind::kJoinedStr:
    case pyast::Kind::kTemplateStr: {
      made.kind = PythonExprKind::kFormatted;
      made.text = ArenaText(unit_.Text(made.span));
      Exprs items;
      AddInterpolations(from.kind == pyast::Kind::kJoinedStr
                            ? llvm::cast<pyast::JoinedStr>(from).values
                            : llvm::cast<pyast::TemplateStr>(from).values,
                        items);
      made.items = Keep(items);
      break;
    }
    case pyast::Kind::kAttribute: {
      const auto& node = as.operator()<pyast::Attribute>(PythonExprKind::kAttribute);
      made.left = Expression(node.value);
      made.text = Text(node.attr);
      break;
    }
    case pyast::Kind::kCall: {
      const auto& node = as.operator()<pyast::Call>(PythonExprKind::kCall);
      made.left = Expression(node.func);
      made.arguments = Arguments(node.args, node.keywords);
      break;
    }
    case pyast::Kind::kSubscript: {
      const auto& node = as.operator()<pyast::Subscript>(PythonExprKind::kSubscript);
      made.left = Expression(node.value);
      const auto* tuple = llvm::dyn_cast<pyast::Tuple>(node.slice);
      made.items = tuple != nullptr && !tuple->elts.empty() ? Expressions(tuple->elts)
                                                            : Expressions(node.slice);
      break;
    }
    case pyast::Kind::kSlice: {
      const auto& node = as.operator()<pyast::Slice>(PythonExprKind::kSlice);
      made.left = Expression(node.lower);
      made.right = Expression(node.upper);
      made.third = Expression(node.step);
      break;
    }
    case pyast::Kind::kUnaryOp: {
      const auto& node = as.operator()<pyast::UnaryOp>(PythonExprKind::kUnary);
      if (node.op == pyast::Operator::kNot) {
        made.kind = PythonExprKind::kNot;
      } else {
        made.text = ArenaText(OperatorText(node.op));
      }
      made.left = Expression(node.operand);
      break;
    }
    case pyast::Kind::kBinOp: {
      const auto& node = as.operator()<pyast::BinOp>(PythonExprKind::kBinary);
      made.text = ArenaText(OperatorText(node.op));
      made.left = Expression(node.left);
      made.right = Expression(node.right);
      break;
    }
    case pyast::Kind::kCompare:
      FillCompare(llvm::cast<pyast::Compare>(from), made);
      break;
    case pyast::Kind::kBoolOp: {
      const auto& node = llvm::cast<pyast::BoolOp>(from);
      made.kind = node.op == pyast::Operator::kAnd ? PythonExprKind::kAnd : PythonExprKind::kOr;
      made.items = Expressions(node.values);
      break;
    }
    case pyast::Kind::kIfExp: {
      const auto& node = as.operator()<pyast::IfExp>(PythonExprKind::kConditional);
      made.left = Expression(node.body);
      made.third = Expression(node.test);
      made.right = Expression(node.orelse);
      break;
    }
    case pyast::Kind::kLambda: {
      const auto& node = as.operator()<pyast::Lambda>(PythonExprKind::kLambda);
      made.parameters = Parameters(node.args);
      made.left = Expression(node.body);
      break;
    }
    case pyast::Kind::kTuple:
      made.items = Expressions(as.operator()<pyast::Tuple>(PythonExprKind::kTuple).elts);
      break;
    case pyast::Kind::kList:
      made.items = Expressions(as.operator()<pyast::List>(PythonExprKind::kList).elts);
      break;
    case pyast::Kind::kSet:
      made.items = Expressions(as.operator()<pyast::Set>(PythonExprKind::kSet).elts);
      break;
    case pyast::Kind::kDict: {
      const auto& node = as.operator()<pyast::Dict>(PythonExprKind::kDict);
      Exprs items;
      for (size_t i = 0; i < node.values.size(); ++i) {
        items.push_back(Expression(node.keys[i]));
        items.push_back(Expression(node.values[i]));
      }
      made.items = Keep(items);
      break;
    }
    case pyast::Kind::kListComp:
      FillComprehension(as.operator()<pyast::ListComp>(PythonExprKind::kListComprehension), made);
      break;
    case pyast::Kind::kSetComp:
      FillComprehension(as.operator()<pyast::SetComp>(PythonExprKind::kSetComprehension), made);
      break;
    case pyast::Kind::kGeneratorExp:
      FillComprehension(as.operator()<pyast::GeneratorExp>(PythonExprKind::kGeneratorExpression),
                        made);
      break;
    case pyast::Kind::kDictComp: {
      const auto& node = as.operator()<pyast::DictComp>(PythonExprKind::kDictComprehension);
      made.left = Expression(node.key);
      made.right = Expression(node.value);
      FillClauses(node.generators, made);
      break;
    }
    case pyast::Kind::kStarred:
      made.left = Expression(as.operator()<pyast::Starred>(PythonExprKind::kStarred).value);
      break;
    case pyast::Kind::kAwait:
      made.left = Expression(as.operator()<pyast::Await>(PythonExprKind::kAwait).value);
      break;
    case pyast::Kind::kYield:
      made.left = Expression(as.operator()<pyast::Yield>(PythonExprKind::kYield).value);
      break;
    case pyast::Kind::kYieldFrom:
      made.left = Expression(as.operator()<pyast::YieldFrom>(PythonExprKind::kYieldFrom).value);
      break;
    case pyast::Kind::kNamedExpr: {
      const auto& node = as.operator()<pyast::NamedExpr>(PythonExprKind::kNamed);
      made.left = Expression(node.target);
      made.right = Expression(node.value);
      break;
    }
    default:
      made.text = ArenaText(unit_.Text(made.span));
      break;
  }
}

void UnitTree::FillCompare(const pyast::Compare& from, Expr& made) {
  made.kind = PythonExprKind::kCompare;
  Exprs items = {Expression(from.left)};
  for (const pyast::Expr* each : from.comparators) items.push_back(Expression(each));
  made.items = Keep(items);
  llvm::SmallVector<CompareOperator, 4> operators;
  for (const pyast::Operator op : from.ops) operators.push_back(ComparisonOf(op));
  made.operators = Keep(operators);
}

void UnitTree::FillClauses(pyast::Comprehensions from, Expr& made) {
  llvm::SmallVector<ComprehensionClause, 2> clauses;
  for (const pyast::Comprehension* clause : from) {
    clauses.push_back(
        {Expression(clause->target), Expression(clause->iter), Expressions(clause->ifs)});
  }
  made.clauses = Keep(clauses);
}

/// The expressions in braces, including those of format specifiers.
void UnitTree::AddInterpolations(pyast::Exprs values, Exprs& to) {
  for (const pyast::Expr* each : values) {
    const pyast::Expr* format = nullptr;
    if (const auto* value = llvm::dyn_cast<pyast::FormattedValue>(each)) {
      to.push_back(Expression(value->value));
      format = value->format_spec;
    } else if (const auto* part = llvm::dyn_cast<pyast::Interpolation>(each)) {
      to.push_back(Expression(part->value));
      format = part->format_spec;
    }
    if (format == nullptr) continue;
    if (const auto* inner = llvm::dyn_cast<pyast::JoinedStr>(format)) {
      AddInterpolations(inner->values, to);
    }
  }
}

/// In the order of the text, where a keyword may come before `*rest`.
ArenaList<CallArgument> UnitTree::Arguments(pyast::Exprs arguments, pyast::Keywords keywords) {
  llvm::SmallVector<CallArgument, 8> made;
  for (const pyast::Expr* argument : arguments) {
    const auto* star = llvm::dyn_cast<pyast::Starred>(argument);
    made.push_back({.keyword = {},
                    .span = Place(*argument),
                    .stars = static_cast<uint8_t>(star != nullptr ? 1 : 0),
                    .value = Expression(star != nullptr ? star->value : argument)});
  }
  for (const pyast::Keyword* keyword : keywords) {
    made.push_back({.keyword = Text(keyword->arg),
                    .span = Place(*keyword),
                    .stars = static_cast<uint8_t>(keyword->arg.empty() ? 2 : 0),
                    .value = Expression(keyword->value)});
  }
  std::ranges::stable_sort(made, {}, [](const CallArgument& each) { return each.span.begin; });
  return Keep(made);
}

ArenaList<Parameter> UnitTree::Parameters(const pyast::Arguments* from) {
  if (from == nullptr) return {};
  llvm::SmallVector<Parameter, 8> made;
  const auto add = [&](const pyast::Arg* arg, Parameter::Kind kind, const pyast::Expr* value) {
    made.push_back({.name = Text(arg->arg),
                    .span = Place(*arg),
                    .kind = kind,
                    .annotation = Expression(arg->annotation),
                    .default_value = Expression(value)});
    if (value != nullptr) made.back().span.end = made.back().default_value->span.end;
  };
  const size_t num_positional = from->posonlyargs.size() + from->args.size();
  const size_t num_required = num_positional - std::min(num_positional, from->defaults.size());
  for (size_t i = 0; i < num_positional; ++i) {
    const bool is_first = i < from->posonlyargs.size();
    add(is_first ? from->posonlyargs[i] : from->args[i - from->posonlyargs.size()],
        is_first ? Parameter::Kind::kPositionalOnly : Parameter::Kind::kNormal,
        i < num_required ? nullptr : from->defaults[i - num_required]);
  }
  if (from->vararg != nullptr) add(from->vararg, Parameter::Kind::kStar, nullptr);
  for (size_t i = 0; i < from->kwonlyargs.size(); ++i) {
    add(from->kwonlyargs[i], Parameter::Kind::kKeywordOnly, from->kw_defaults[i]);
  }
  if (from->kwarg != nullptr) add(from->kwarg, Parameter::Kind::kDoubleStar, nullptr);
  return Keep(made);
}

}  // namespace shapewise
