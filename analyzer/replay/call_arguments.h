// The arguments of one call, by value, for hand-written functions.

#ifndef SHAPEWISE_REPLAY_CALL_ARGUMENTS_H_
#define SHAPEWISE_REPLAY_CALL_ARGUMENTS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/value.h"

namespace shapewise::replay {

struct CallArguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;

  /// The argument at `index`, or the one called `name`; None if both are missing. Valid as long as
  /// this.
  const Value& Get(size_t index, std::string_view name = {}) const {
    static const Value none = Value::None();
    if (index < positional.size()) return positional[index];
    for (const auto& [keyword, value] : keywords) {
      if (keyword == name) return value;
    }
    return none;
  }
  size_t size() const { return positional.size(); }
};

/// Runs one call; throws c10::Error or std::runtime_error.
using HandFunction = Value (*)(const CallArguments&);

/// A row of a table of functions.
struct NamedFunction {
  std::string_view target;
  HandFunction function;
};

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_CALL_ARGUMENTS_H_
