#include "report/bucket_emit_python.h"

#include <algorithm>

namespace shapewise {
namespace {

constexpr size_t kColumns = 88;
/// torch._dynamo.config.accumulated_recompile_limit in PyTorch 2.13.
constexpr size_t kAccumulatedLimit = 256;

std::string WrappedTuple(std::string_view head, const std::vector<std::string>& items) {
  std::string text(head);
  if (items.empty()) return text + " = ()\n";
  text += " = (\n";
  std::string line;
  for (const std::string& item : items) {
    if (!line.empty() && 5 + line.size() + item.size() + 2 > kColumns) {
      text.append("    ").append(line).append("\n");
      line.clear();
    }
    line += (line.empty() ? "" : " ") + item + ",";
  }
  return text.append("    ").append(line).append("\n)\n");
}

}  // namespace

std::string PythonTuple(std::string_view name, const std::vector<int64_t>& items) {
  std::vector<std::string> texts;
  for (const int64_t item : items) texts.push_back(std::to_string(item));
  return WrappedTuple(std::string(name) + ": tuple[int, ...]", texts);
}

std::string PythonTuple(std::string_view name, const std::vector<Sizes>& items, size_t dims) {
  std::vector<std::string> texts;
  for (const Sizes& item : items) {
    std::string text = "(";
    for (size_t dim = 0; dim < std::min(dims, item.size()); ++dim) {
      text += (dim == 0 ? "" : ", ") + std::to_string(item[dim]);
    }
    texts.push_back(text + ")");
  }
  return WrappedTuple(std::string(name) + ": tuple[tuple[int, ...], ...]", texts);
}

std::string PythonLimits(size_t limit, size_t buckets) {
  limit = std::max(limit, 2 * buckets);
  const auto raise = [](std::string_view name, size_t to) {
    const std::string option = "torch._dynamo.config." + std::string(name);
    return option + " = max(\n    " + option + ", " + std::to_string(to) + "\n)\n";
  };
  std::string text =
      "# Twice the buckets: where another dim varies as well, each gets a second graph.\n" +
      raise("recompile_limit", limit);
  if (limit > kAccumulatedLimit) text += raise("accumulated_recompile_limit", limit);
  return text;
}

}  // namespace shapewise
