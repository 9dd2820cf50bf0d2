// Speed of reading Python: outlines, units (functions, classes, modules) and whole files. Prints a
// table; nothing is tested, machines differ.
//
//   cmake --preset release -DSHAPEWISE_DEVELOPER=ON
//   cmake --build --preset release --target bench_syntax &&
//   build/release/tests/bench/bench_syntax FOLDER

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "syntax/outline.h"
#include "syntax/parse_unit.h"

namespace shapewise {
namespace {

/// Of this process: others on the machine do not count.
double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::vector<std::string> ReadFiles(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".py") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

void PrintRow(const char* what, size_t count, size_t bytes, double seconds) {
  std::printf("%-16s %8zu  %8.2f MB  %8.3f s  %8.1f MB/s  %8.2f us each\n", what, count,
              static_cast<double>(bytes) / 1e6, seconds, static_cast<double>(bytes) / 1e6 / seconds,
              seconds * 1e6 / static_cast<double>(count));
}

void Run(const std::filesystem::path& folder) {
  const std::vector<std::string> texts = ReadFiles(folder);
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();

  constexpr int kRounds = 5;
  std::vector<Outline> outlines;
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    outlines.clear();
    const double begin = CpuSeconds();
    for (const std::string& text : texts) outlines.push_back(OutlinePython(text));
    best = std::min(best, CpuSeconds() - begin);
  }
  PrintRow("outline", texts.size(), bytes, best);

  size_t faults = 0;
  const auto parse = [&](const std::string& text, llvm::ArrayRef<FileSpan> ranges) {
    TreeArena arena;
    faults += ParseUnit(text, ranges, arena).faults.size();
    size_t parsed = 0;
    for (const FileSpan& range : ranges) parsed += range.end - range.begin;
    return parsed;
  };
  const auto measure = [&](const char* what, auto visit) {
    size_t count = 0;
    size_t parsed = 0;
    const double begin = CpuSeconds();
    for (size_t i = 0; i < texts.size(); ++i) {
      visit(outlines[i], [&](llvm::ArrayRef<FileSpan> ranges) {
        parsed += parse(texts[i], ranges);
        ++count;
      });
    }
    PrintRow(what, count, parsed, CpuSeconds() - begin);
  };
  measure("functions", [](const Outline& outline, auto take) {
    for (const OutlinedFunction& function : outline.functions) take(function.span);
  });
  measure("forward", [](const Outline& outline, auto take) {
    for (const OutlinedFunction& function : outline.functions) {
      if (function.name == "forward") take(function.span);
    }
  });
  measure("classes", [](const Outline& outline, auto take) {
    for (const OutlinedClass& outlined : outline.classes) take(outlined.own);
  });
  measure("modules", [](const Outline& outline, auto take) {
    if (!outline.module.empty()) take(outline.module);
  });
  size_t file = 0;
  measure("whole files", [&](const Outline&, auto take) {
    const FileSpan whole{0, texts[file++].size()};
    if (whole.end > 0) take(whole);
  });
  std::printf("%zu faults\n", faults);
}

}  // namespace
}  // namespace shapewise

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: bench_syntax FOLDER\n", stderr);
    return 2;
  }
  shapewise::Run(argv[1]);
  return 0;
}
