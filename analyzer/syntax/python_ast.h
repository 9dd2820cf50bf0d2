// Python code as a tree, reduced to what the analysis needs and independent of the parser.
//
// A tree describes a unit: a function with its decorators, or the statements of a module outside of
// functions. Nodes are in an arena and refer to each other; texts are views into the parsed text.
// All positions are byte offsets from the start of the unit, so units with equal text share one
// tree.

#ifndef SHAPEWISE_SYNTAX_PYTHON_AST_H_
#define SHAPEWISE_SYNTAX_PYTHON_AST_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Allocator.h"

namespace shapewise {

// Parts of trees in an arena: texts, nodes and lists, one of which may take the place of another.

/// Memory of trees. Many functions are small, and each has an arena of its own.
using TreeArena = llvm::BumpPtrAllocatorImpl<llvm::MallocAllocator, /*SlabSize=*/512,
                                             /*SizeThreshold=*/512, /*GrowthDelay=*/4>;

/// A view of a text of less than 4 GiB, in 12 bytes.
class ArenaText {
 public:
  ArenaText() = default;
  explicit ArenaText(std::string_view text) : size_(static_cast<uint32_t>(text.size())) {
    const char* data = text.data();
    std::memcpy(data_, static_cast<const void*>(&data), sizeof(data));
  }

  operator std::string_view() const { return {data(), size_}; }  // NOLINT: a view
  const char* data() const {
    const char* data = nullptr;
    std::memcpy(static_cast<void*>(&data), data_, sizeof(data));
    return data;
  }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  char front() const { return *data(); }
  char back() const { return data()[size_ - 1]; }
  size_t find(auto what) const { return std::string_view(*this).find(what); }
  std::string_view substr(size_t begin, size_t size = std::string_view::npos) const {
    return std::string_view(*this).substr(begin, size);
  }

  friend bool operator==(const ArenaText& a, std::string_view b) {
    return std::string_view(a) == b;
  }
  friend bool operator==(const ArenaText& a, const ArenaText& b) {
    return a == std::string_view(b);
  }

 private:
  uint32_t size_ = 0;
  uint32_t data_[2] = {};  ///< a pointer, which would need 8 bytes for its alignment
};

/// Parts of a node that share a place have different tags, in the lowest bits of a pointer: the
/// part with the tag is there, and the others are null or empty.
inline constexpr uintptr_t kTagBits = 7;

/// A pointer to a node, or null.
template <typename T, uintptr_t kTag = 0>
class ArenaNode {
 public:
  ArenaNode() = default;
  ArenaNode(std::nullptr_t) : bits_(0) {}  // NOLINT: a pointer
  explicit ArenaNode(const T* node)
      : bits_(node != nullptr ? reinterpret_cast<uintptr_t>(node) | kTag : 0) {}

  ArenaNode& operator=(const T* node) {
    *this = ArenaNode(node);
    return *this;
  }
  operator const T*() const {  // NOLINT: a pointer
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the tag has to come off
    return (bits_ & kTagBits) == kTag ? reinterpret_cast<const T*>(bits_ - kTag) : nullptr;
  }
  const T* operator->() const { return *this; }

 private:
  uintptr_t bits_;  // without an initializer, so that it can be part of a union
};

/// An immutable list whose size is stored next to its elements. Nodes of a tree have many lists,
/// most of them empty, so that their own size matters. Lives as long as its arena.
template <typename T, uintptr_t kTag = 1>
class ArenaList {
 public:
  using value_type = T;

  ArenaList() = default;
  template <uintptr_t kOther>
  ArenaList(const ArenaList<T, kOther>& other)  // NOLINT: the same list
      : bits_(other.empty() ? 0 : reinterpret_cast<uintptr_t>(other.begin()) | kTag) {}

  static ArenaList Copy(llvm::ArrayRef<T> from, TreeArena& arena) {
    static_assert(kTag >= 1 && kTag <= kTagBits);
    ArenaList list{};
    if (from.empty()) return list;
    auto* bytes = static_cast<char*>(arena.Allocate(kHead + from.size() * sizeof(T), kAlign));
    *reinterpret_cast<uint32_t*>(bytes) = static_cast<uint32_t>(from.size());
    T* first = reinterpret_cast<T*>(bytes + kHead);
    std::uninitialized_copy(from.begin(), from.end(), first);
    list.bits_ = reinterpret_cast<uintptr_t>(first) | kTag;
    return list;
  }

  size_t size() const {
    if (empty()) return 0;
    return *reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(begin()) - kHead);
  }
  bool empty() const { return (bits_ & kTagBits) != kTag; }
  const T* begin() const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the tag has to come off
    return empty() ? nullptr : reinterpret_cast<const T*>(bits_ - kTag);
  }
  const T* end() const { return begin() + size(); }
  const T& operator[](size_t i) const { return begin()[i]; }
  const T& front() const { return *begin(); }
  const T& back() const { return begin()[size() - 1]; }
  llvm::ArrayRef<T> drop_front() const { return llvm::ArrayRef<T>(*this).drop_front(); }
  llvm::ArrayRef<T> drop_back() const { return llvm::ArrayRef<T>(*this).drop_back(); }

  // NOLINTNEXTLINE: a view, as of a vector
  operator llvm::ArrayRef<T>() const { return {begin(), size()}; }

 private:
  static constexpr size_t kAlign = kTagBits + 1;
  static constexpr size_t kHead = kAlign;

  uintptr_t bits_;
};

/// Bytes [begin, end) of a unit's text.
struct ByteSpan {
  uint32_t begin = 0;
  uint32_t end = 0;

  friend bool operator==(const ByteSpan&, const ByteSpan&) = default;
};

/// Kinds of expressions in Python's grammar.
enum class PythonExprKind : uint8_t {
  kName,       ///< text
  kInteger,    ///< text: as written
  kFloat,      ///< text: as written
  kString,     ///< text: with prefix and quotes; adjacent literals are one
  kFormatted,  ///< f-string or t-string; items: the interpolated expressions
  kTrue,
  kFalse,
  kNone,
  kEllipsis,
  kAttribute,          ///< left.text
  kCall,               ///< left(arguments)
  kSubscript,          ///< left[items]
  kSlice,              ///< left : right : third, each null where absent
  kUnary,              ///< text operand: - + ~ ; left
  kNot,                ///< not left
  kBinary,             ///< left text right: + - * / // % ** @ & | ^ << >>
  kCompare,            ///< items with operators between them: `operators`, one fewer than items
  kAnd,                ///< items
  kOr,                 ///< items
  kConditional,        ///< left if third else right
  kLambda,             ///< parameters: left
  kTuple,              ///< items
  kList,               ///< items
  kSet,                ///< items
  kDict,               ///< items: key, value, key, value ...; key null: **value
  kListComprehension,  ///< left for ...: `clauses`
  kSetComprehension,
  kGeneratorExpression,
  kDictComprehension,  ///< left: value for ...; right
  kStarred,            ///< *left
  kAwait,              ///< await left
  kYield,              ///< yield left; left may be null
  kYieldFrom,          ///< yield from left
  kNamed,              ///< (left := right)
  kUnreadable,         ///< a syntax error, or syntax newer than the parser
};

/// Python's comparison operators.
enum class CompareOperator : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn,
  kIs,
  kIsNot
};

struct Expr;
struct Stmt;

/// An argument of a call, or a base or keyword of a class.
struct CallArgument {
  ArenaText keyword;  ///< empty: positional
  ByteSpan span;
  uint8_t stars = 0;  ///< 1: *value, 2: **value
  const Expr* value = nullptr;
};

/// A parameter of a function.
struct Parameter {
  enum class Kind : uint8_t { kPositionalOnly, kNormal, kStar, kKeywordOnly, kDoubleStar };

  ArenaText name;
  ByteSpan span;
  Kind kind = Kind::kNormal;
  const Expr* annotation = nullptr;  ///< null: none
  const Expr* default_value = nullptr;
};

/// One `for target in iterable if condition ...` of a comprehension.
struct ComprehensionClause {
  const Expr* target = nullptr;
  const Expr* iterable = nullptr;
  ArenaList<const Expr*> conditions{};
};

/// An expression. No kind has two of the parts that share a place.
struct Expr {
  PythonExprKind kind = PythonExprKind::kUnreadable;
  ByteSpan span;
  ArenaText text;
  ArenaNode<Expr> left{};
  union {
    ArenaNode<Expr, 0> right{};
    ArenaList<const Expr*, 1> items;
  };
  union {
    ArenaNode<Expr, 0> third{};
    ArenaList<CallArgument, 1> arguments;
    ArenaList<CompareOperator, 2> operators;
    ArenaList<ComprehensionClause, 3> clauses;
    ArenaList<Parameter, 4> parameters;
  };
};
static_assert(sizeof(Expr) == 48);

/// Kinds of statements in Python's grammar.
enum class StmtKind : uint8_t {
  kExpression,  ///< value
  kAssign,      ///< targets = value; `a = b = c` has two targets
  kAugmented,   ///< targets[0] text= value; text: the operator without "="
  kAnnotated,   ///< targets[0]: annotation = value; value may be null
  kReturn,      ///< value may be null
  kIf,          ///< value, body, orelse (an elif is an orelse of one kIf)
  kWhile,       ///< value, body, orelse
  kFor,         ///< targets[0] in value, body, orelse
  kWith,        ///< with_items, body
  kTry,         ///< body, handlers, orelse, finally
  kRaise,       ///< value, cause: both may be null
  kAssert,      ///< value, message (may be null)
  kDelete,      ///< targets
  kPass,
  kBreak,
  kContinue,
  kGlobal,      ///< names
  kNonlocal,    ///< names
  kImport,      ///< imports: import a.b as c
  kImportFrom,  ///< from text import imports; dots: how many lead it
  kFunction,    ///< text: its name; parameters, returns, body, decorators
  kClass,       ///< text: its name; arguments (bases, keywords), body, decorators
  kMatch,       ///< value, cases
  kUnreadable,  ///< a syntax error
};

/// A context manager of a `with`.
struct WithItem {
  const Expr* context = nullptr;
  const Expr* target = nullptr;  ///< null: no `as`
};

/// An `except` clause or a `case`.
struct Branch {
  const Expr* test = nullptr;  ///< the exception type, or the guard of a case; null: none
  ArenaText name;              ///< except ... as name
  ByteSpan span;
  ArenaList<const Stmt*> body{};
};

/// A name in an import.
struct ImportedName {
  ArenaText name;  ///< dotted, or "*"
  ArenaText as;    ///< empty: none
};

/// A statement. No kind has two of the parts that share a place.
struct Stmt {
  StmtKind kind = StmtKind::kUnreadable;
  bool is_async = false;
  uint8_t dots = 0;
  ByteSpan span;  ///< with decorators, without the newline
  ArenaText text;
  const Expr* value = nullptr;
  union {
    ArenaList<const Expr*, 1> targets{};
    ArenaList<const Expr*, 2> decorators;
    ArenaList<WithItem, 3> with_items;
    ArenaList<Branch, 4> handlers;  ///< of a try: except clauses; of a match: cases
    ArenaList<ArenaText, 5> names;
    ArenaList<ImportedName, 6> imports;
  };
  union {
    ArenaNode<Expr, 0> annotation{};
    ArenaNode<Expr, 1> message;
    ArenaNode<Expr, 2> cause;
    ArenaList<const Stmt*, 3> body;
  };
  union {
    ArenaList<CallArgument, 1> arguments{};
    ArenaList<const Stmt*, 3> orelse;
    ArenaList<Parameter, 4> parameters;
  };
  union {
    ArenaNode<Expr, 0> returns{};
    ArenaList<const Stmt*, 3> finally;
  };
};
static_assert(sizeof(Stmt) == 64);

}  // namespace shapewise

#endif  // SHAPEWISE_SYNTAX_PYTHON_AST_H_
