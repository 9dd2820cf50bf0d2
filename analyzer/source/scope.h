// Names at a point of a function's run.

#ifndef SHAPEWISE_SOURCE_SCOPE_H_
#define SHAPEWISE_SOURCE_SCOPE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shapewise/source/value.h"

namespace shapewise {

/// The names of one run of a function, and what they hold at a point of it.
class Scope {
 public:
  /// What a name is one of.
  enum class Of : uint8_t {
    kFunction,  ///< a variable
    kSelf,      ///< an attribute of self, stored in this run
  };

  const Value* Find(std::string_view name, Of of = Of::kFunction) const {
    const size_t at = PlaceOf(name, of);
    return at < variables_.size() ? &variables_[at].value : nullptr;
  }

  void Set(std::string_view name, const Value& value, Of of = Of::kFunction) {
    const size_t at = PlaceOf(name, of);
    if (at == variables_.size()) variables_.push_back({.name = name, .of = of});
    variables_[at].value = value;
  }

  void Forget(std::string_view name) {
    const size_t at = PlaceOf(name, Of::kFunction);
    if (at < variables_.size()) variables_.erase(variables_.begin() + static_cast<ptrdiff_t>(at));
  }

  /// What both this and `other` may hold: `join(a, b)` where a name holds different things, and
  /// what it holds in the one scope that has it.
  template <typename Join>
  void JoinWith(const Scope& other, Join join) {
    for (size_t i = 0; i < other.variables_.size(); ++i) {
      const Variable& theirs = other.variables_[i];
      // Both mostly come from one scope, so that a name has the same place in both.
      const bool is_here = i < variables_.size() && variables_[i].IsNamed(theirs.name, theirs.of);
      const size_t at = is_here ? i : PlaceOf(theirs.name, theirs.of);
      if (at == variables_.size()) {
        variables_.push_back(theirs);
      } else if (Value& ours = variables_[at].value; !(ours == theirs.value)) {
        ours = join(ours, theirs.value);
      }
    }
  }

  friend bool operator==(const Scope&, const Scope&) = default;

 private:
  struct Variable {
    std::string_view name;
    Of of = Of::kFunction;
    Value value = {};

    bool IsNamed(std::string_view other, Of whose) const {
      return of == whose && name.size() == other.size() &&
             (name.data() == other.data() || name == other);
    }
    friend bool operator==(const Variable&, const Variable&) = default;
  };

  /// Number of variables: it is none of them.
  size_t PlaceOf(std::string_view name, Of of) const {
    // What was bound last is asked for first.
    for (size_t at = variables_.size(); at > 0; --at) {
      if (variables_[at - 1].IsNamed(name, of)) return at - 1;
    }
    return variables_.size();
  }

  std::vector<Variable> variables_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_SCOPE_H_
