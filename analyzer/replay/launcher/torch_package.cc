#include "replay/launcher/torch_package.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

namespace shapewise::replay {
namespace {

/// Does not import torch, which takes a second.
constexpr const char* kAskPython =
    "python3 -c \"import importlib.util as u; s = u.find_spec('torch'); "
    "print(s.submodule_search_locations[0] if s else '')\" 2>/dev/null";

std::string RootThatPythonImports() {
  FILE* pipe = popen(kAskPython, "r");
  if (pipe == nullptr) return {};
  char line[4096] = {};
  const bool has_line = fgets(line, sizeof(line), pipe) != nullptr;
  pclose(pipe);
  std::string root = has_line ? line : "";
  while (!root.empty() && (root.back() == '\n' || root.back() == '\r')) root.pop_back();
  return root;
}

bool HoldsTorch(const std::string& root) {
  std::error_code error;
  return !root.empty() &&
         std::filesystem::exists(std::filesystem::path(root) / "lib" / "libtorch_cpu.so", error);
}

std::string VersionOf(const std::string& root) {
  std::ifstream file(std::filesystem::path(root) / "version.py");
  static const std::regex assignment("^__version__\\s*=\\s*['\"]([^'\"]+)['\"]");
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_search(line, match, assignment)) return match[1];
  }
  return {};
}

std::string FindRoot(const std::string& given) {
  if (!given.empty()) return given;
  const char* named = std::getenv("SHAPEWISE_TORCH_ROOT");
  if (named != nullptr && *named != '\0') return named;
  if (std::string root = RootThatPythonImports(); HoldsTorch(root)) return root;
  if (HoldsTorch(SHAPEWISE_BUILT_WITH_TORCH_ROOT)) return SHAPEWISE_BUILT_WITH_TORCH_ROOT;
  return {};
}

}  // namespace

TorchPackage FindTorchPackage(const std::string& given) {
  TorchPackage package;
  package.root = FindRoot(given);
  if (!package.root.empty()) package.version = VersionOf(package.root);
  return package;
}

}  // namespace shapewise::replay
