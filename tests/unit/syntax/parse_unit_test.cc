#include "syntax/parse_unit.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/python_tree_text.h"
#include "support/source_dir.h"
#include "syntax/python_walk.h"

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
  TreeArena arena;
  const ParsedUnit unit = ParseUnit(code, FileSpan{0, code.size()}, arena);
  std::string text = TreeText(unit.body);
  for (const SyntaxFault& fault : unit.faults) {
    text += "fault " + std::to_string(fault.span.begin) + ": " + fault.message + "\n";
  }
  return text;
}

TEST_CASE("trees are as written down", "[syntax]") {
  const std::filesystem::path folder =
      std::filesystem::path(SourceDir()) / "tests/unit/syntax/trees";
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

/// Everything below some statements.
class Walk {
 public:
  explicit Walk(llvm::ArrayRef<const Stmt*> body) { Body(body); }

  std::vector<ByteSpan> spans;
  std::vector<const Stmt*> functions;  ///< in no other function, in the order of the file
  int depth = 0;                       ///< of the deepest

 private:
  void Places(const auto& list) {
    for (const auto& each : list) spans.push_back(each.span);
  }
  void Visit(const Expr& expr) {
    depth = std::max(depth, ++level_);
    spans.push_back(expr.span);
    Places(expr.arguments);
    Places(expr.parameters);
    ForEachChild(expr, [&](const Expr& child) { Visit(child); });
    --level_;
  }
  void Body(llvm::ArrayRef<const Stmt*> body) {
    for (const Stmt* stmt : body) {
      depth = std::max(depth, ++level_);
      spans.push_back(stmt->span);
      Places(stmt->arguments);
      Places(stmt->parameters);
      Places(stmt->handlers);
      const int is_function = stmt->kind == StmtKind::kFunction ? 1 : 0;
      if (is_function == 1 && in_functions_ == 0) functions.push_back(stmt);
      ForEachExpr(*stmt, [&](const Expr& expr, bool /*is_target*/) { Visit(expr); });
      in_functions_ += is_function;
      ForEachBlock(*stmt, [&](llvm::ArrayRef<const Stmt*> block) { Body(block); });
      in_functions_ -= is_function;
      --level_;
    }
  }

  int level_ = 0;
  int in_functions_ = 0;
};

/// Reads `code` as one unit; every place must be inside it.
void CheckReads(std::string_view code) {
  TreeArena arena;
  const ParsedUnit unit = ParseUnit(code, FileSpan{0, code.size()}, arena);
  for (const ByteSpan& span : Walk(unit.body).spans) {
    REQUIRE(span.begin <= span.end);
    REQUIRE(span.end <= code.size());
  }
  for (const SyntaxFault& fault : unit.faults) REQUIRE(fault.span.begin <= code.size());
  TreeText(unit.body, true);
}

std::vector<std::string> PythonFiles() {
  std::vector<std::string> texts;
  for (const char* folder : {"python", "tests/torch", "tests/gpu"}) {
    const auto root = std::filesystem::path(SourceDir()) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".py") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  return texts;
}

TEST_CASE("a function alone is read as it is in its file", "[syntax]") {
  size_t count = 0;
  for (const std::string& text : PythonFiles()) {
    TreeArena arena;
    const ParsedUnit whole = ParseUnit(text, FileSpan{0, text.size()}, arena);
    const Walk walk(whole.body);
    const Outline outline = OutlinePython(text);
    REQUIRE(walk.functions.size() == outline.functions.size());
    for (size_t i = 0; i < walk.functions.size(); ++i) {
      const ParsedUnit unit = ParseUnit(text, outline.functions[i].span, arena);
      REQUIRE(unit.faults.empty());
      REQUIRE(unit.body.size() == 1);
      CHECK(TreeText(unit.body) == TreeText(walk.functions[i]));
      CHECK(unit.body[0]->span.begin + outline.functions[i].span.begin ==
            walk.functions[i]->span.begin);
      ++count;
    }
  }
  CHECK(count > 100);
}

TEST_CASE("a class and a module are read without their functions", "[syntax]") {
  constexpr std::string_view kText =
      "if a:\n"
      "    def f(): pass\n"
      "else:\n"
      "    class C(B):\n"
      "        x = 1\n"
      "        def g(self): pass\n"
      "        y: int\n"
      "z = 2\n";
  const Outline outline = OutlinePython(kText);
  TreeArena arena;
  const ParsedUnit module = ParseUnit(kText, outline.module, arena);
  CHECK(TreeText(module.body) == "if a\n= z 2\n");
  CHECK(module.faults.empty());
  REQUIRE(module.body.size() == 2);
  CHECK(kText.substr(module.body[1]->span.begin) == "z = 2\n");
  const ParsedUnit owned = ParseUnit(kText, outline.classes[0].own, arena);
  CHECK(TreeText(owned.body) == "class C B\n  = x 1\n  : y int\n");
  CHECK(owned.faults.empty());
  // Places count from the begin of the unit, though functions were taken out.
  const size_t begin = outline.classes[0].span.begin;
  REQUIRE(owned.body.size() == 1);
  CHECK(kText.substr(begin + owned.body[0]->body[1]->span.begin, 6) == "y: int");
}

TEST_CASE("a block of which only functions are left out is no fault", "[syntax]") {
  constexpr std::string_view kText = "class C:\n    def f(self): pass\n";
  const Outline outline = OutlinePython(kText);
  TreeArena arena;
  // The empty range says that something stood behind the head.
  const FileSpan end{kText.size(), kText.size()};
  const ParsedUnit owned = ParseUnit(kText, {outline.classes[0].own[0], end}, arena);
  CHECK(TreeText(owned.body) == "class C\n");
  CHECK(owned.faults.empty());
}

TEST_CASE("no text is too broken to be read", "[syntax]") {
  const std::vector<std::string> texts = PythonFiles();
  REQUIRE(!texts.empty());
  const std::string& text = *std::ranges::min_element(texts, {}, [](const std::string& each) {
    return each.size() < 2000 ? SIZE_MAX : each.size();
  });
  for (size_t at = 0; at < text.size(); at += 7) {
    CheckReads(std::string_view(text).substr(0, at));
    CheckReads(std::string_view(text).substr(at));
    CheckReads(text.substr(0, at) + text.substr(std::min(text.size(), at + 11)));
  }
}

TEST_CASE("hostile bytes are read", "[syntax]") {
  CheckReads(std::string_view("a = \0 1\nb\0c = 2\n", 16));
  CheckReads("a = \xff\xfe\n\x80 = 1\n");
  CheckReads("x = '\xff\xc3'  # \xe2\x82\n");
  for (const char* code : {"\xEF\xBB\xBF", "\\", "\\\n", ")]}", "'", "f'{", "@", "\r\r\n\f\t x",
                           "'''", "f'''{", "except", "match", "def", "class C[", "qf a:\n @P`"}) {
    CheckReads(code);
  }
}

TEST_CASE("a line with thousands of errors is one fault", "[syntax]") {
  std::string code = "def f(x";
  for (int i = 0; i < 5'000; ++i) code += ": t x1";
  code += "\nx = 1\n";
  TreeArena arena;
  CHECK(ParseUnit(code, FileSpan{0, code.size()}, arena).faults.size() == 1);
  constexpr std::string_view kNext = "x = 1\n";
  CHECK(ParseUnit(kNext, FileSpan{0, kNext.size()}, arena).faults.empty());
}

TEST_CASE("nesting is cut off, not followed", "[syntax]") {
  constexpr size_t kDeep = 10000;
  constexpr int kBound = 1000;
  const auto depth_of = [](const std::string& code) {
    TreeArena arena;
    return Walk(ParseUnit(code, FileSpan{0, code.size()}, arena).body).depth;
  };
  CHECK(depth_of("x = " + std::string(kDeep, '(') + std::string(kDeep, ')') + "\n") < kBound);
  CHECK(depth_of("x = " + std::string(kDeep, '[') + std::string(kDeep, ']') + "\n") < kBound);
  CHECK(depth_of("x = " + std::string(kDeep, '[') + "\n") < kBound);
  CHECK(depth_of("x = " + std::string(kDeep, '-') + "1\n") < kBound);
  CHECK(depth_of("x = f'" + std::string(kDeep, '{') + "'\n") < kBound);
  std::string sum = "x = 1";
  std::string blocks;
  std::string elifs = "if a: pass\n";
  for (size_t i = 0; i < kDeep; ++i) sum += " + 1";
  for (size_t i = 0; i < 1000; ++i) {
    blocks += std::string(i, ' ') + "if a:\n";
    elifs += "elif a: pass\n";
  }
  CHECK(depth_of(sum + "\n") < kBound);
  CHECK(depth_of(blocks) < kBound);
  CHECK(depth_of(elifs) < kBound);
}

TEST_CASE("brackets deeper than Python reads are one fault of a line", "[syntax]") {
  const auto read = [](size_t depth, bool is_closed, TreeArena& arena) {
    const std::string code = "x = " + std::string(depth, '(') + "1" +
                             std::string(is_closed ? depth : 0, ')') + "\ndef f(): pass\n";
    return ParseUnit(code, FileSpan{0, code.size()}, arena);
  };
  TreeArena arena;
  CHECK(read(200, true, arena).faults.empty());
  for (const size_t depth : {201, 400, 40000}) {
    const ParsedUnit parsed = read(depth, true, arena);
    REQUIRE(parsed.faults.size() == 1);
    CHECK(parsed.faults[0].message == "too many nested parentheses");
    CHECK(parsed.faults[0].span.begin == 4 + 200);
    CHECK(parsed.body.size() == 2);
  }
  // An unclosed bracket is the same fault, and the rest is read.
  const ParsedUnit open = read(40000, false, arena);
  CHECK(open.faults.size() == 1);
  CHECK(open.body.size() == 2);
  CHECK(open.body.back()->kind == StmtKind::kFunction);
  CHECK(arena.getBytesAllocated() < size_t{1} << 20);
}

}  // namespace
}  // namespace shapewise
