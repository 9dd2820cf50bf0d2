// The data that values refer to: items of sequences, alternatives, bound methods, closures, names.

#ifndef SHAPEWISE_SOURCE_VALUE_STORE_H_
#define SHAPEWISE_SOURCE_VALUE_STORE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "source/project.h"
#include "source/value.h"
#include "support/string_pool.h"
#include "syntax/python_ast.h"

namespace shapewise {

/// The contents of a list, tuple, set or dict.
struct Items {
  enum class Form : uint8_t {
    kPlain,
    kHashed,   ///< a set or the keys of a dict
    kCounter,  ///< itertools.count: each item is a new number
  };

  bool is_exact = false;  ///< `items` is complete and ordered; otherwise only `element` is known
  std::vector<Value> items = {};    ///< of a tuple or list literal
  Value element = {};               ///< describes any of them
  bool is_module = false;           ///< an nn.ModuleList, Sequential or ModuleDict
  bool is_called_in_order = false;  ///< an nn.Sequential
  Form form = Form::kPlain;
  uint8_t depth = 1;  ///< levels of sequences in it, its own included

  friend bool operator==(const Items&, const Items&) = default;
};

/// A function with the object or the scope that it was taken from.
struct Callable {
  FunctionId function = kNoId;  ///< in the project; kNoId: a local function or lambda
  Value self = {};              ///< of a bound method
  const Stmt* local = nullptr;  ///< a local def
  const Expr* lambda = nullptr;
  uint32_t scope = 0;         ///< for a local one: number of its enclosing scope
  FunctionId within = kNoId;  ///< for a local one: the function whose text contains it
  FileId file = kNoId;

  friend bool operator==(const Callable&, const Callable&) = default;
};

/// The number that these digits write in Python; absent: none, or written in another base.
std::optional<double> NumberIn(std::string_view digits);

/// A hash of two numbers.
inline uint64_t MixHash(uint64_t a, uint64_t b) {
  constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
  const uint64_t mixed = (a ^ (b + kSpread)) * kSpread;
  return (mixed ^ (mixed >> 32)) * kSpread;
}

/// A hash of all fields of the value, or of the values.
size_t HashOf(const Value& value);
size_t HashOf(llvm::ArrayRef<Value> values);

/// Numbers texts that live, unchanged, as long as this.
class PlacedStrings {
 public:
  explicit PlacedStrings(StringPool& pool) : pool_(pool) {}

  StrId Intern(std::string_view text) {
    if (num_new_ >= recent_.size()) Grow();
    Recent& recent = PlaceOf(text.data());
    if (recent.data != text.data() || recent.size != text.size()) {
      ++num_new_;
      recent = {text.data(), static_cast<uint32_t>(text.size()), pool_.Intern(text)};
    }
    return recent.id;
  }

 private:
  struct Recent {
    const char* data = nullptr;
    uint32_t size = 0;
    StrId id = StrId::kNone;
  };

  // Every place at which a name stands is a text. Most pools are never asked, or about few texts.
  static constexpr unsigned kFewestBits = 9;
  static constexpr unsigned kMostBits = 15;

  Recent& PlaceOf(const char* data) {
    constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
    return recent_[(reinterpret_cast<uintptr_t>(data) * kSpread) >> (64 - num_bits_)];
  }
  void Grow();

  StringPool& pool_;
  std::vector<Recent> recent_;  ///< by the address of the text
  unsigned num_bits_ = 0;       ///< recent_ has 2^num_bits_ places
  size_t num_new_ = 0;          ///< texts stored since it grew
};

/// All data that values of one analysis refer to. Equal entries get equal numbers.
class ValueStore {
 public:
  Value Sequence(Items items);
  Value SequenceOf(Value element);  ///< of unknown length
  Value Mapping(Value element);
  Value Outside(std::string_view dotted);
  /// A bool or a text with known contents: one of the code, or the default of an argument.
  static Value Bool(bool is_true);
  /// The value of a number, a text, True, False or None in the code; absent: it is something else.
  std::optional<Value> Literal(const Expr& expr);
  /// `contents` live as long as this.
  Value Text(std::string_view contents);
  /// `number`, an int or a float, with these digits as its contents. Only defaults have contents:
  /// a function is not followed again for each number that it is called with.
  Value NumberOf(Value number, std::string_view digits);
  Value ProjectModule(FileId file);
  Value Method(Callable callable);  ///< a bound method or a local function
  Value Function(FunctionId function);
  Value Class(ClassId id);
  /// An object of a class, in or outside of the project.
  Value Object(ClassId id, bool is_module);
  Value OutsideObject(std::string_view class_name, bool is_module);

  /// The data a value refers to; null if it refers to data of another kind.
  const Items* items(const Value& value) const;
  const Callable* callable(const Value& value) const;
  /// The dotted name of an outside value, or of the outside class of an object; else empty.
  std::string_view name(const Value& value) const;
  /// Contents of ints, floats and bools; absent if they are not known.
  std::optional<double> number_of(const Value& value) const;
  /// Contents of bools and texts; absent if they are not known.
  static std::optional<bool> truth_of(const Value& value);
  std::optional<std::string_view> text_of(const Value& value) const;
  FileId project_module(const Value& value) const;   ///< kNoId: none
  ClassId class_of(const Value& value) const;        ///< of a kClass, kModule, kObject; kNoId
  FunctionId function_of(const Value& value) const;  ///< of a kFunction; kNoId

  /// Whether `value` is one of several.
  bool IsChoice(const Value& value) const;
  /// The values that `value` may be; itself where there is no choice.
  llvm::SmallVector<Value, 4> Alternatives(const Value& value) const;

  /// The value that is `a` on one path and `b` on another.
  Value Join(const Value& a, const Value& b);
  /// The join of make(one) for each of the values that `value` may be.
  template <typename Make>
  Value JoinEach(const Value& value, Make make) {
    std::optional<Value> joined;
    for (const Value& one : Alternatives(value)) {
      const Value made = make(one);
      joined = joined ? Join(*joined, made) : made;
    }
    return joined.value_or(Value{});
  }
  /// A list with the items of `container` and `added`; `is_new`: it has no others.
  Value WithElement(const Value& container, const Value& added, bool is_new);

  std::string_view Intern(std::string_view text) { return names_->text(names_->Intern(text)); }
  /// "prefix.name"
  std::string_view Dotted(std::string_view prefix, std::string_view name) {
    return Intern(std::string(prefix).append(".").append(name));
  }
  /// Owns the texts of names.
  std::shared_ptr<const void> names() const { return names_; }

 private:
  Value JoinOfKinds(const Value& a, const Value& b);
  Value Choice(const Value& a, const Value& b);
  /// The join of `left` and `right`, numbers of two tables of items, as a number.
  uint32_t JoinItems(uint32_t left, uint32_t right);

  /// Entries by number, from 1; equal ones share a number.
  template <typename T>
  class Table {
   public:
    uint32_t NumberOf(T thing, uint64_t hash) {
      uint32_t& last = last_[hash >> 2];  // DenseMap reserves the highest numbers
      for (uint32_t number = last; number != 0; number = before_[number]) {
        if (things_[number] == thing) return number;
      }
      before_.push_back(last);
      last = static_cast<uint32_t>(things_.size());
      things_.push_back(std::move(thing));
      return last;
    }
    const T& operator[](uint32_t number) const { return things_[number]; }

   private:
    std::deque<T> things_{1};          // references stay valid when entries are added
    std::vector<uint32_t> before_{0};  ///< the previous one with the same hash; 0: none
    llvm::DenseMap<uint64_t, uint32_t> last_;
  };

  std::shared_ptr<StringPool> names_ = std::make_shared<StringPool>();
  PlacedStrings placed_{*names_};
  Table<Items> items_;
  Table<Callable> callables_;
  Table<std::vector<Value>> choices_;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> joined_items_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_VALUE_STORE_H_
