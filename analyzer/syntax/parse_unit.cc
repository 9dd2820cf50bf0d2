#include "syntax/parse_unit.h"

#include <algorithm>
#include <functional>
#include <type_traits>

#include "llvm/ADT/SmallVector.h"
#include "pyast/parser.h"

namespace shapewise {
namespace {

/// Hand-written functions are smaller, and tables of constants are irrelevant.
constexpr size_t kMaxUnitBytes = size_t{1} << 24;
/// Text with more faults is not Python.
constexpr size_t kMaxFaults = 100;
/// Maximum depth of nodes. Python rejects 200 brackets and 100 blocks; chains of operators and of
/// `elif` are levels, too.
constexpr int kMaxTreeDepth = 400;

/// Ranges of a file as one text. A unit of one range is a view of the file. Between two ranges,
/// `pass` replaces the functions and classes that were removed, so that no block is empty.
class UnitText {
 public:
  /// `ranges` as in ParseUnit; there is at least one.
  UnitText(std::string_view file, llvm::ArrayRef<FileSpan> ranges) {
    const size_t begin = ranges.front().begin;
    unit_ = file.substr(begin, ranges.back().end - begin);
    parsed_ = unit_;
    if (ranges.size() == 1) return;
    const auto append = [&](size_t from, size_t to) {
      pieces_.push_back(
          {static_cast<uint32_t>(joined_.size()), static_cast<uint32_t>(from - begin)});
      joined_ += file.substr(from, to - from);
    };
    size_t end = begin;
    for (const FileSpan& range : ranges) {
      if (range.begin > end) {
        const size_t first = std::min(file.find_first_not_of(" \t\f", end), range.begin);
        append(end, first);
        // Its place is that of the removed code, whose text is not "pass".
        append(first, first);
        joined_ += "pass\n";
      }
      append(range.begin, range.end);
      end = range.end;
    }
    parsed_ = joined_;
  }

  /// The text to parse.
  std::string_view parsed() const { return parsed_; }

  /// Bytes [begin, end) of parsed(), as offsets from the start of the unit.
  ByteSpan Original(uint32_t begin, uint32_t end) const {
    const uint32_t first = Map(begin);
    // The last byte of a range is not the start of the next one.
    return {first, end <= begin ? first : std::max(first, Map(end - 1) + 1)};
  }
  std::string_view Text(ByteSpan span) const {
    return unit_.substr(span.begin, span.end - span.begin);
  }

 private:
  /// From `parsed` to the next piece, bytes of parsed_ are those of the unit from `original` on.
  struct Piece {
    uint32_t parsed;
    uint32_t original;
  };

  uint32_t Map(uint32_t offset) const {
    if (pieces_.empty()) return offset;
    const auto next = std::ranges::upper_bound(pieces_, offset, {}, &Piece::parsed);
    const Piece& piece = next[-1];
    return std::min<uint32_t>(piece.original + (offset - piece.parsed),
                              static_cast<uint32_t>(unit_.size()));
  }

  std::string_view unit_;  ///< of the file, from the first range to the last
  std::string_view parsed_;
  std::string joined_;  ///< text of several ranges
  std::vector<Piece> pieces_;
};

/// An operator of one or two operands, as written.
ArenaText OperatorText(pyast::Operator op) {
  constexpr std::string_view kTexts[] = {"and", "or", "+", "-", "*",  "@", "/",   "%", "**", "<<",
                                         ">>",  "|",  "^", "&", "//", "~", "not", "+", "-"};
  return ArenaText(kTexts[static_cast<size_t>(op)]);
}

CompareOperator ComparisonOf(pyast::Operator op) {
  using enum CompareOperator;
  constexpr CompareOperator kComparisons[] = {
      kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kIs, kIsNot, kIn, kNotIn};
  return kComparisons[static_cast<size_t>(op) - static_cast<size_t>(pyast::Operator::kEq)];
}

PythonExprKind KindOf(pyast::ConstantKind kind) {
  using enum PythonExprKind;
  constexpr PythonExprKind kKinds[] = {kNone,  kTrue,  kFalse,  kEllipsis, kInteger,
                                       kFloat, kFloat, kString, kString};
  return kKinds[static_cast<size_t>(kind)];
}

/// One of some kinds of nodes with the same fields.
template <typename Node, typename... Kinds>
concept OneOf = (std::is_same_v<Node, Kinds> || ...);

/// Converts trees of pyast to those that the analysis uses. They have no type parameters and no
/// `case` patterns; code nested deeper than kMaxTreeDepth is kUnreadable.
class TreeMaker {
 public:
  /// Trees are allocated in `arena`; their texts are views of the file or of `arena`.
  TreeMaker(const UnitText& unit, TreeArena& arena) : unit_(unit), arena_(arena) {}

  ArenaList<const Stmt*> Block(pyast::Stmts body) {
    Stmts made;
    for (const pyast::Stmt* statement : body) AddStatement(*statement, made);
    return Keep(made);
  }

 private:
  using Exprs = llvm::SmallVector<const Expr*, 8>;
  using Stmts = llvm::SmallVector<const Stmt*, 16>;

  ByteSpan Place(const pyast::Node& node) const {
    return unit_.Original(node.span.begin, node.span.end);
  }

  template <typename List>
  ArenaList<typename List::value_type> Keep(const List& list) {
    return ArenaList<typename List::value_type>::Copy(list, arena_);
  }

  /// `list`, with each element converted by `make`.
  template <unsigned kSize, typename List, typename Make>
  auto KeepEach(const List& list, Make make) {
    llvm::SmallVector<decltype(make(list[0])), kSize> made;
    for (const auto& element : list) made.push_back(make(element));
    return Keep(made);
  }

  ArenaText Written(const pyast::Node& node) const { return ArenaText(unit_.Text(Place(node))); }

  /// A name, which may have been composed of several tokens.
  ArenaText Text(std::string_view text) const {
    const std::string_view parsed = unit_.parsed();
    if (text.empty()) return {};
    const std::less_equal<const char*> is_before;
    if (is_before(parsed.data(), text.data()) &&
        is_before(text.data() + text.size(), parsed.data() + parsed.size())) {
      const auto begin = static_cast<uint32_t>(text.data() - parsed.data());
      const auto end = begin + static_cast<uint32_t>(text.size());
      return ArenaText(unit_.Text(unit_.Original(begin, end)));
    }
    char* copy = arena_.Allocate<char>(text.size());
    std::ranges::copy(text, copy);
    return ArenaText({copy, text.size()});
  }

  // Statements.

  void AddStatement(const pyast::Stmt& statement, Stmts& to) {
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
      pyast::VisitNode(statement, [&](const auto& node) { Fill(node, *made); });
    } else {
      for (const pyast::Stmt* inner : error->body) AddStatement(*inner, to);
    }
    --depth_;
  }

  void Set(Stmt& made, StmtKind kind, const pyast::Expr* value = nullptr, pyast::Stmts body = {},
           pyast::Stmts orelse = {}) {
    made.kind = kind;
    made.value = Expression(value);
    if (!body.empty()) made.body = Block(body);
    if (!orelse.empty()) made.orelse = Block(orelse);
  }

  void Fill(const pyast::Node& /*unreadable*/, Stmt& /*made*/) {}
  void Fill(const pyast::Pass&, Stmt& made) { Set(made, StmtKind::kPass); }
  void Fill(const pyast::Break&, Stmt& made) { Set(made, StmtKind::kBreak); }
  void Fill(const pyast::Continue&, Stmt& made) { Set(made, StmtKind::kContinue); }
  void Fill(const pyast::ExprStmt& from, Stmt& made) {
    Set(made, StmtKind::kExpression, from.value);
  }
  void Fill(const pyast::Return& from, Stmt& made) { Set(made, StmtKind::kReturn, from.value); }
  void Fill(const pyast::Assign& from, Stmt& made) {
    Set(made, StmtKind::kAssign, from.value);
    made.targets = Expressions(from.targets);
  }
  void Fill(const pyast::TypeAlias& from, Stmt& made) {
    Set(made, StmtKind::kAssign, from.value);
    made.targets = Expressions(from.name);
  }
  void Fill(const pyast::AugAssign& from, Stmt& made) {
    Set(made, StmtKind::kAugmented, from.value);
    made.text = OperatorText(from.op);
    made.targets = Expressions(from.target);
  }
  void Fill(const pyast::AnnAssign& from, Stmt& made) {
    Set(made, StmtKind::kAnnotated, from.value);
    made.targets = Expressions(from.target);
    made.annotation = Expression(from.annotation);
  }
  void Fill(const pyast::Delete& from, Stmt& made) {
    Set(made, StmtKind::kDelete);
    made.targets = Expressions(from.targets);
  }
  void Fill(const pyast::If& from, Stmt& made) {
    Set(made, StmtKind::kIf, from.test, from.body, from.orelse);
  }
  void Fill(const pyast::While& from, Stmt& made) {
    Set(made, StmtKind::kWhile, from.test, from.body, from.orelse);
  }
  void Fill(const OneOf<pyast::For, pyast::AsyncFor> auto& from, Stmt& made) {
    Set(made, StmtKind::kFor, from.iter, from.body, from.orelse);
    made.is_async = from.kind == pyast::Kind::kAsyncFor;
    made.targets = Expressions(from.target);
  }
  void Fill(const OneOf<pyast::With, pyast::AsyncWith> auto& from, Stmt& made) {
    Set(made, StmtKind::kWith, nullptr, from.body);
    made.is_async = from.kind == pyast::Kind::kAsyncWith;
    made.with_items = KeepEach<4>(from.items, [&](const pyast::WithItem* item) {
      return WithItem{Expression(item->context_expr), Expression(item->optional_vars)};
    });
  }
  void Fill(const OneOf<pyast::Try, pyast::TryStar> auto& from, Stmt& made) {
    Set(made, StmtKind::kTry, nullptr, from.body, from.orelse);
    made.handlers = KeepEach<4>(from.handlers, [&](const pyast::ExceptHandler* handler) {
      return Branch{.test = Expression(handler->type),
                    .name = Text(handler->name),
                    .span = Place(*handler),
                    .body = Block(handler->body)};
    });
    made.finally = Block(from.finalbody);
  }
  void Fill(const pyast::Match& from, Stmt& made) {
    Set(made, StmtKind::kMatch, from.subject);
    made.handlers = KeepEach<8>(from.cases, [&](const pyast::MatchCase* each) {
      return Branch{.test = Expression(each->guard),
                    .name = {},
                    .span = Place(*each),
                    .body = Block(each->body)};
    });
  }
  void Fill(const pyast::Raise& from, Stmt& made) {
    Set(made, StmtKind::kRaise, from.exc);
    made.cause = Expression(from.cause);
  }
  void Fill(const pyast::Assert& from, Stmt& made) {
    Set(made, StmtKind::kAssert, from.test);
    made.message = Expression(from.msg);
  }
  void Fill(const pyast::Global& from, Stmt& made) {
    Set(made, StmtKind::kGlobal);
    made.names = Names(from.names);
  }
  void Fill(const pyast::Nonlocal& from, Stmt& made) {
    Set(made, StmtKind::kNonlocal);
    made.names = Names(from.names);
  }
  void Fill(const pyast::Import& from, Stmt& made) {
    Set(made, StmtKind::kImport);
    made.imports = Imports(from.names);
  }
  void Fill(const pyast::ImportFrom& from, Stmt& made) {
    Set(made, StmtKind::kImportFrom);
    made.text = Text(from.module);
    made.dots = static_cast<uint8_t>(std::min(from.level, 255));
    made.imports = Imports(from.names);
  }
  void Fill(const OneOf<pyast::FunctionDef, pyast::AsyncFunctionDef> auto& from, Stmt& made) {
    Set(made, StmtKind::kFunction, nullptr, from.body);
    made.is_async = from.kind == pyast::Kind::kAsyncFunctionDef;
    made.text = Text(from.name);
    Decorate(from.decorator_list, made);
    made.parameters = Parameters(from.args);
    made.returns = Expression(from.returns);
  }
  void Fill(const pyast::ClassDef& from, Stmt& made) {
    Set(made, StmtKind::kClass, nullptr, from.body);
    made.text = Text(from.name);
    Decorate(from.decorator_list, made);
    made.arguments = Arguments(from.bases, from.keywords);
  }

  /// CPython's places of functions and classes do not include their decorators; ours do.
  void Decorate(pyast::Exprs decorators, Stmt& made) {
    if (decorators.empty()) return;
    made.decorators = Expressions(decorators);
    const auto sign =
        static_cast<uint32_t>(unit_.parsed().rfind('@', decorators.front()->span.begin));
    made.span.begin = unit_.Original(sign, sign).begin;
  }

  ArenaList<ArenaText> Names(pyast::Names names) {
    return KeepEach<8>(names, [&](std::string_view name) { return Text(name); });
  }

  ArenaList<ImportedName> Imports(pyast::Aliases names) {
    return KeepEach<8>(names, [&](const pyast::Alias* name) {
      return ImportedName{Text(name->name), Text(name->asname)};
    });
  }

  // Expressions.

  /// Null where `from` is.
  const Expr* Expression(const pyast::Expr* from) {
    if (from == nullptr) return nullptr;
    Expr* made = new (arena_.Allocate<Expr>()) Expr();
    made->span = Place(*from);
    if (depth_ >= kMaxTreeDepth) {
      made->text = Written(*from);
      return made;
    }
    ++depth_;
    pyast::VisitNode(*from, [&](const auto& node) { Fill(node, *made); });
    --depth_;
    return made;
  }

  ArenaList<const Expr*> Expressions(pyast::Exprs from) {
    return KeepEach<8>(from, [&](const pyast::Expr* each) { return Expression(each); });
  }

  void Set(Expr& made, PythonExprKind kind, const pyast::Expr* left,
           const pyast::Expr* right = nullptr, const pyast::Expr* third = nullptr) {
    made.kind = kind;
    made.left = Expression(left);
    if (right != nullptr) made.right = Expression(right);
    if (third != nullptr) made.third = Expression(third);
  }

  void SetItems(Expr& made, PythonExprKind kind, pyast::Exprs items) {
    made.kind = kind;
    made.items = Expressions(items);
  }

  void SetClauses(Expr& made, pyast::Comprehensions from) {
    made.clauses = KeepEach<2>(from, [&](const pyast::Comprehension* clause) {
      return ComprehensionClause{Expression(clause->target), Expression(clause->iter),
                                 Expressions(clause->ifs)};
    });
  }

  void Fill(const pyast::Node& unreadable, Expr& made) { made.text = Written(unreadable); }
  void Fill(const pyast::Name& from, Expr& made) {
    made.kind = PythonExprKind::kName;
    made.text = Text(from.id);
  }
  void Fill(const pyast::Constant& from, Expr& made) {
    made.kind = KindOf(from.type);
    made.text = Written(from);
  }
  void Fill(const OneOf<pyast::JoinedStr, pyast::TemplateStr> auto& from, Expr& made) {
    made.kind = PythonExprKind::kFormatted;
    made.text = Written(from);
    Exprs items;
    AddInterpolations(from.values, items);
    made.items = Keep(items);
  }
  void Fill(const pyast::Attribute& from, Expr& made) {
    Set(made, PythonExprKind::kAttribute, from.value);
    made.text = Text(from.attr);
  }
  void Fill(const pyast::Call& from, Expr& made) {
    Set(made, PythonExprKind::kCall, from.func);
    made.arguments = Arguments(from.args, from.keywords);
  }
  void Fill(const pyast::Subscript& from, Expr& made) {
    Set(made, PythonExprKind::kSubscript, from.value);
    const auto* tuple = llvm::dyn_cast<pyast::Tuple>(from.slice);
    const bool is_tuple = tuple != nullptr && !tuple->elts.empty();
    made.items = Expressions(is_tuple ? tuple->elts : pyast::Exprs(from.slice));
  }
  void Fill(const pyast::Slice& from, Expr& made) {
    Set(made, PythonExprKind::kSlice, from.lower, from.upper, from.step);
  }
  void Fill(const pyast::UnaryOp& from, Expr& made) {
    const bool is_not = from.op == pyast::Operator::kNot;
    Set(made, is_not ? PythonExprKind::kNot : PythonExprKind::kUnary, from.operand);
    if (!is_not) made.text = OperatorText(from.op);
  }
  void Fill(const pyast::BinOp& from, Expr& made) {
    Set(made, PythonExprKind::kBinary, from.left, from.right);
    made.text = OperatorText(from.op);
  }
  void Fill(const pyast::Compare& from, Expr& made) {
    made.kind = PythonExprKind::kCompare;
    Exprs items = {Expression(from.left)};
    for (const pyast::Expr* each : from.comparators) items.push_back(Expression(each));
    made.items = Keep(items);
    made.operators = KeepEach<4>(from.ops, ComparisonOf);
  }
  void Fill(const pyast::BoolOp& from, Expr& made) {
    SetItems(made, from.op == pyast::Operator::kAnd ? PythonExprKind::kAnd : PythonExprKind::kOr,
             from.values);
  }
  void Fill(const pyast::IfExp& from, Expr& made) {
    Set(made, PythonExprKind::kConditional, from.body, from.orelse, from.test);
  }
  void Fill(const pyast::Lambda& from, Expr& made) {
    Set(made, PythonExprKind::kLambda, from.body);
    made.parameters = Parameters(from.args);
  }
  void Fill(const pyast::Tuple& from, Expr& made) {
    SetItems(made, PythonExprKind::kTuple, from.elts);
  }
  void Fill(const pyast::List& from, Expr& made) {
    SetItems(made, PythonExprKind::kList, from.elts);
  }
  void Fill(const pyast::Set& from, Expr& made) { SetItems(made, PythonExprKind::kSet, from.elts); }
  void Fill(const pyast::Dict& from, Expr& made) {
    made.kind = PythonExprKind::kDict;
    Exprs items;
    for (size_t i = 0; i < from.values.size(); ++i) {
      items.push_back(Expression(from.keys[i]));
      items.push_back(Expression(from.values[i]));
    }
    made.items = Keep(items);
  }
  void Fill(const pyast::ListComp& from, Expr& made) {
    Set(made, PythonExprKind::kListComprehension, from.elt);
    SetClauses(made, from.generators);
  }
  void Fill(const pyast::SetComp& from, Expr& made) {
    Set(made, PythonExprKind::kSetComprehension, from.elt);
    SetClauses(made, from.generators);
  }
  void Fill(const pyast::GeneratorExp& from, Expr& made) {
    Set(made, PythonExprKind::kGeneratorExpression, from.elt);
    SetClauses(made, from.generators);
  }
  void Fill(const pyast::DictComp& from, Expr& made) {
    Set(made, PythonExprKind::kDictComprehension, from.key, from.value);
    SetClauses(made, from.generators);
  }
  void Fill(const pyast::Starred& from, Expr& made) {
    Set(made, PythonExprKind::kStarred, from.value);
  }
  void Fill(const pyast::Await& from, Expr& made) { Set(made, PythonExprKind::kAwait, from.value); }
  void Fill(const pyast::Yield& from, Expr& made) { Set(made, PythonExprKind::kYield, from.value); }
  void Fill(const pyast::YieldFrom& from, Expr& made) {
    Set(made, PythonExprKind::kYieldFrom, from.value);
  }
  void Fill(const pyast::NamedExpr& from, Expr& made) {
    Set(made, PythonExprKind::kNamed, from.target, from.value);
  }

  /// The expressions in braces, including those of format specifiers.
  void AddInterpolations(pyast::Exprs values, Exprs& to) {
    const auto add = [&](const auto& field) {
      to.push_back(Expression(field.value));
      if (const auto* spec = llvm::dyn_cast_or_null<pyast::JoinedStr>(field.format_spec)) {
        AddInterpolations(spec->values, to);
      }
    };
    for (const pyast::Expr* each : values) {
      if (const auto* value = llvm::dyn_cast<pyast::FormattedValue>(each)) add(*value);
      if (const auto* part = llvm::dyn_cast<pyast::Interpolation>(each)) add(*part);
    }
  }

  /// In the order of the text, where a keyword may come before `*rest`.
  ArenaList<CallArgument> Arguments(pyast::Exprs arguments, pyast::Keywords keywords) {
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

  ArenaList<Parameter> Parameters(const pyast::Arguments* from) {
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

  const UnitText& unit_;
  TreeArena& arena_;
  int depth_ = 0;
};

}  // namespace

ParsedUnit ParseUnit(std::string_view text, llvm::ArrayRef<FileSpan> ranges, TreeArena& arena) {
  ParsedUnit parsed;
  if (ranges.empty() || ranges.front().begin == ranges.back().end) return parsed;
  const size_t size = ranges.back().end - ranges.front().begin;
  if (size > kMaxUnitBytes) {
    auto* unreadable = new (arena.Allocate<Stmt>()) Stmt();
    unreadable->span.end = static_cast<uint32_t>(std::min<size_t>(size, UINT32_MAX));
    parsed.body = ArenaList<const Stmt*>::Copy({unreadable}, arena);
    parsed.faults.push_back({unreadable->span, "too long to be read"});
    return parsed;
  }
  const UnitText unit(text, ranges);
  // Most units are small, so each thread keeps the memory of its parser.
  thread_local llvm::BumpPtrAllocator parser_arena;
  thread_local pyast::Parser parser{parser_arena};
  const pyast::Module& module =
      *parser.ParseModule(unit.parsed(), /*first_is_base=*/ranges.front().begin > 0);
  parsed.body = TreeMaker(unit, arena).Block(module.body);
  for (const pyast::Fault& fault : parser.faults()) {
    if (parsed.faults.size() == kMaxFaults) break;
    parsed.faults.push_back({unit.Original(fault.span.begin, fault.span.end), fault.message});
  }
  parser_arena.Reset();
  return parsed;
}

}  // namespace shapewise
