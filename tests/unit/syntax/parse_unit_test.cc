#include "shapewise/syntax/parse_unit.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/python_tree_text.h"

namespace shapewise {
namespace {

struct TreeCase {
  std::string title;
  std::string code;
  std::string tree;
};

/// The cases of a file in tests/unit/syntax/trees; its head says how they look.
std::vector<TreeCase> ReadCases(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<TreeCase> cases;
  std::string line;
  std::string* to = nullptr;
  while (std::getline(file, line)) {
    if (line == "=====") {
      cases.emplace_back();
      std::getline(file, cases.back().title);
      std::getline(file, line);
      to = &cases.back().code;
    } else if (line == "---") {
      to = &cases.back().tree;
    } else if (to != nullptr) {
      *to += line + "\n";
    }
  }
  return cases;
}

std::string Read(std::string_view code) {
  UnitParser parser;
  llvm::BumpPtrAllocator arena;
  const ParsedUnit unit = parser.Parse(code, FileSpan{0, code.size()}, arena);
  std::string text = TreeText(unit.body);
  for (const SyntaxFault& fault : unit.faults) {
    text += "fault " + std::to_string(fault.span.begin) + ": " + fault.message + "\n";
  }
  return text;
}

TEST_CASE("trees are as written down", "[syntax]") {
  const std::filesystem::path folder =
      std::filesystem::path(SHAPEWISE_SOURCE_DIR) / "tests/unit/syntax/trees";
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    for (const TreeCase& tree : ReadCases(entry.path())) {
      CAPTURE(entry.path().filename().string(), tree.title, tree.code);
      CHECK(Read(tree.code) == tree.tree);
      ++count;
    }
  }
  CHECK(count > 1);
}

}  // namespace
}  // namespace shapewise
