#include "ingest/sizes/json_path.h"

namespace shapewise {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr int kMaxJsonDepth = 4;
constexpr size_t kMaxMembers = 64;

void AddCountable(object json, const std::string& prefix, int depth,
                  std::vector<std::string>& paths) {
  for (const auto& [key, value] : json) {
    if (paths.size() == kMaxMembers) return;
    std::string path = prefix + std::string(key);
    object inner;
    if (value.is_number() || value.is_array()) {
      paths.push_back(std::move(path));
    } else if (depth < kMaxJsonDepth && value.get(inner) == simdjson::SUCCESS) {
      AddCountable(inner, path + ".", depth + 1, paths);
    }
  }
}

}  // namespace

std::optional<element> MemberAt(object json, std::string_view path) {
  element value;
  if (json[path].get(value) == simdjson::SUCCESS) return value;
  const size_t dot = path.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  object inner;
  if (json[path.substr(0, dot)].get(inner) != simdjson::SUCCESS) return std::nullopt;
  return MemberAt(inner, path.substr(dot + 1));
}

std::vector<std::string> CountableMembers(object json) {
  std::vector<std::string> paths;
  AddCountable(json, "", 1, paths);
  return paths;
}

}  // namespace shapewise
