// Runs every fuzz target over its corpus: replay_fuzz_corpora corpora/hostile [TARGET...]
//
// The files of a target are those of the folder that has its name. A law that does not hold ends
// the program; the file it broke on is told then.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz_targets.h"
#include "fuzz/time_limit.h"

namespace {

/// What is being run; a handler of signals may only read plain memory.
char current_file[4096];

void TellFile(int signal) {
  std::fprintf(stderr, "replay_fuzz_corpora: signal %d at %s\n", signal, current_file);
  std::_Exit(1);
}

/// The files of `folder` in order of their names.
std::vector<std::filesystem::path> FilesIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void RunFile(const shapewise::FuzzTarget& target, const std::filesystem::path& file) {
  std::snprintf(current_file, sizeof(current_file), "%s", file.c_str());
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  shapewise::RunWithinTime(target.run, reinterpret_cast<const uint8_t*>(bytes.data()),
                           bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("replay_fuzz_corpora: expected the folder of the corpora\n", stderr);
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, TellFile);
  const std::vector<std::string_view> wanted(argv + 2, argv + argc);
  bool is_missing = false;
  for (const shapewise::FuzzTarget& target : shapewise::FuzzTargets()) {
    if (!wanted.empty() && std::ranges::count(wanted, target.name) == 0) continue;
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / target.name;
    const bool has_folder = std::filesystem::is_directory(folder);
    const std::vector<std::filesystem::path> files =
        has_folder ? FilesIn(folder) : std::vector<std::filesystem::path>();
    for (const std::filesystem::path& file : files) RunFile(target, file);
    is_missing |= files.empty();
    std::printf("%-20s %4zu files%s\n", std::string(target.name).c_str(), files.size(),
                files.empty() ? ": a target without a corpus" : "");
  }
  return is_missing ? 1 : 0;
}
