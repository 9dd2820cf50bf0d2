// Prints what the program reads of Python files, for tests/tools/check_python_trees.py.
//
//   print_python outline < paths      kind begin end name, for each function and class of each file
//   print_python tree < paths         the tree of each whole file, with places
//   print_python units < paths        the same, from the units of its outline
//
// Each file begins with a line "file PATH".

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "support/python_tree_text.h"
#include "syntax/outline.h"
#include "syntax/parse_unit.h"

namespace shapewise {
namespace {

void PrintOutline(const Outline& outline) {
  for (const OutlinedFunction& function : outline.functions) {
    std::cout << "function " << function.span.begin << ' ' << function.span.end << ' '
              << function.name << '\n';
  }
  for (const OutlinedClass& outlined : outline.classes) {
    std::cout << "class " << outlined.span.begin << ' ' << outlined.span.end << ' ' << outlined.name
              << '\n';
  }
  for (const OutlineFault& fault : outline.faults) {
    std::cout << "fault " << fault.offset << ' ' << fault.message << '\n';
  }
}

void PrintUnit(std::string_view text, llvm::ArrayRef<FileSpan> ranges) {
  TreeArena arena;
  const ParsedUnit unit = ParseUnit(text, ranges, arena);
  std::cout << TreeText(unit.body, true);
  for (const SyntaxFault& fault : unit.faults) {
    std::cout << "fault " << ranges.front().begin + fault.span.begin << ' ' << fault.message
              << '\n';
  }
}

void PrintUnits(std::string_view text) {
  const Outline outline = OutlinePython(text);
  const auto print = [&](size_t begin, llvm::ArrayRef<FileSpan> ranges) {
    std::cout << "unit " << begin << '\n';
    PrintUnit(text, ranges);
  };
  if (!outline.module.empty()) print(outline.module.front().begin, outline.module);
  for (const OutlinedFunction& function : outline.functions) {
    print(function.span.begin, function.span);
  }
  for (const OutlinedClass& outlined : outline.classes)
    print(outlined.own.front().begin, outlined.own);
}

}  // namespace
}  // namespace shapewise

int main(int argc, char** argv) {
  const std::string what = argc == 2 ? argv[1] : "";
  for (std::string path; std::getline(std::cin, path);) {
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::cout << "file " << path << '\n';
    if (what == "outline") {
      shapewise::PrintOutline(shapewise::OutlinePython(text));
    } else if (what == "tree") {
      shapewise::PrintUnit(text, shapewise::FileSpan{0, text.size()});
    } else if (what == "units") {
      shapewise::PrintUnits(text);
    } else {
      std::fputs("usage: print_python outline|tree|units < paths\n", stderr);
      return 2;
    }
  }
  return 0;
}
