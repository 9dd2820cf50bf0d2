// What values refer to: items of sequences, alternatives, bound methods, closures, names.

#ifndef SHAPEWISE_SOURCE_VALUE_STORE_H_
#define SHAPEWISE_SOURCE_VALUE_STORE_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "shapewise/source/project.h"
#include "shapewise/source/value.h"
#include "shapewise/support/string_pool.h"
#include "shapewise/syntax/python_ast.h"

namespace shapewise {

constexpr uint16_t Bit(Trait trait) { return static_cast<uint16_t>(trait); }

/// What is in a list, tuple, set or dict.
struct Items {
  bool is_exact = false;            ///< `items` are all, in order; else only `element` is known
  std::vector<Value> items = {};    ///< of a tuple or list that is written out
  Value element = {};               ///< what any of them is
  bool is_module = false;           ///< an nn.ModuleList, Sequential or ModuleDict
  bool is_called_in_order = false;  ///< an nn.Sequential

  friend bool operator==(const Items&, const Items&) = default;
};

/// A function with the object or the scope that it was taken from.
struct Callable {
  FunctionId function = kNoId;  ///< of the project; kNoId: a local function or lambda
  Value self = {};              ///< of a bound method
  const Stmt* local = nullptr;  ///< a local def
  const Expr* lambda = nullptr;
  uint32_t scope = 0;         ///< of a local one: number of the scope that it sees
  FunctionId within = kNoId;  ///< of a local one: the function whose text it stands in
  FileId file = kNoId;

  friend bool operator==(const Callable&, const Callable&) = default;
};

/// Everything that values of one analysis refer to. Equal things get equal numbers.
class ValueStore {
 public:
  Value Sequence(Items items);
  Value SequenceOf(Value element);  ///< of unknown length
  Value Mapping(Value element);
  Value Outside(std::string_view dotted);
  Value ProjectModule(FileId file);
  Value Method(Callable callable);  ///< a bound method or a local function
  Value Function(FunctionId function);
  Value Class(ClassId id);
  /// An object of a class of the project, or of one outside.
  Value Object(ClassId id, bool is_module);
  Value OutsideObject(std::string_view class_name, bool is_module);

  /// What a value refers to; null where it refers to nothing of the kind.
  const Items* items(const Value& value) const;
  const Callable* callable(const Value& value) const;
  /// The dotted name of an outside value, or of the outside class of an object; else empty.
  std::string_view name(const Value& value) const;
  FileId project_module(const Value& value) const;   ///< kNoId: none
  ClassId class_of(const Value& value) const;        ///< of a kClass, kModule, kObject; kNoId
  FunctionId function_of(const Value& value) const;  ///< of a kFunction; kNoId

  /// The values that `value` may be; itself where there is no choice.
  llvm::SmallVector<Value, 4> Alternatives(const Value& value) const;

  /// What a value is that is `a` on one way and `b` on another.
  Value Join(const Value& a, const Value& b);

  std::string_view Intern(std::string_view text) { return names_.text(names_.Intern(text)); }

 private:
  Value JoinOfKinds(const Value& a, const Value& b);
  Value Choice(const Value& a, const Value& b);

  StringPool names_;
  std::vector<Items> items_{1};
  std::vector<Callable> callables_{1};
  std::vector<std::vector<Value>> choices_{1};
  std::multimap<size_t, uint32_t> items_by_hash_;
  std::multimap<size_t, uint32_t> callables_by_hash_;
  std::multimap<size_t, uint32_t> choices_by_hash_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_VALUE_STORE_H_
