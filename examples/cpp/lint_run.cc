// Fails when a run recompiled: prints what the logs of a run show, and optionally a report.
//
//   lint_run LOG [REPORT.json]

#include <shapewise/analyze.h>

#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: lint_run LOG [REPORT.json]\n";
    return 2;
  }
  using namespace shapewise::api;
  const Document document = Lint({.paths = {argv[1]}});
  for (const Message& message : document.messages()) {
    std::cerr << SeverityName(message.severity) << ": " << message.text << "\n";
  }
  for (const Diagnostic& diagnostic : document.diagnostics()) {
    std::cout << diagnostic.place.file << ":" << diagnostic.place.line << ": " << diagnostic.rule
              << " " << diagnostic.message << "\n";
    if (!diagnostic.help.empty()) std::cout << "  " << diagnostic.help << "\n";
  }
  if (const auto report = document.Render("json"); report && argc > 2) {
    std::ofstream(argv[2]) << *report;
  }
  return static_cast<int>(document.status());
}
