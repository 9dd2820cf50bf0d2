// Prints the trees of Python files, for tests/tools/check_pyast.py.
//
//   print_pyast < paths      of each file: "file PATH", "fault OFFSET MESSAGE" ..., a line a
//   statement

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "pyast/parser.h"
#include "support/pyast_dump.h"

int main() {
  std::string path;
  std::string dump;
  while (std::getline(std::cin, path)) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    llvm::BumpPtrAllocator arena;
    shapewise::pyast::Parser parser(arena);
    const shapewise::pyast::Module* const module = parser.ParseModule(text);
    dump = "file " + path + "\n";
    for (const shapewise::pyast::Fault& fault : parser.faults()) {
      dump += "fault " + std::to_string(fault.span.begin) + " " + fault.message + "\n";
    }
    for (const shapewise::pyast::Stmt* statement : module->body) {
      shapewise::pyast::Dump(statement, dump);
      dump += '\n';
    }
    std::cout << dump;
  }
  return 0;
}
