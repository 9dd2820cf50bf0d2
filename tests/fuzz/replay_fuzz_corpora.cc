// Runs every fuzz target over its corpus:
//
//     replay_fuzz_corpora corpora/hostile [--stretched N [--from SEED]] [TARGET...]
//
// The files of a target are those of the folder that has its name. With --stretched it also runs N
// mutations of them, many of them long, for each target that reads text. A law that does not hold
// ends the program, which then names the file, or the seed of the mutation, and saves the input as
// broken_input in the current folder.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz_targets.h"
#include "fuzz/stretching_mutator.h"
#include "fuzz/time_limit.h"

namespace {

constexpr size_t kMaxSize = size_t{1} << 20;

/// Mutations per input: one in so many may grow to the full size.
constexpr uint64_t kLongShare = 4;
constexpr int kMaxMutations = 4;

/// What is being run; a handler of signals may only read plain memory.
char current_name[4096];
const char* current_bytes = nullptr;
size_t current_size = 0;

void ReportInput(int signal) {
  std::fprintf(stderr, "replay_fuzz_corpora: signal %d at %s\n", signal, current_name);
  const int file = open("broken_input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && write(file, current_bytes, current_size) >= 0) close(file);
  std::_Exit(1);
}

/// A handler that works after a stack overflow, too.
void HandleSignals() {
  static std::array<char, size_t{1} << 16> stack;
  stack_t alternative{};
  alternative.ss_sp = stack.data();
  alternative.ss_size = stack.size();
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_handler = ReportInput;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) {
    sigaction(signal, &action, nullptr);
  }
}

/// The texts of the files of `folder`, by their paths.
std::vector<std::pair<std::string, std::string>> FilesIn(const std::filesystem::path& folder) {
  std::vector<std::pair<std::string, std::string>> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    files.emplace_back(entry.path().string(),
                       std::string(std::istreambuf_iterator<char>(stream), {}));
  }
  std::sort(files.begin(), files.end());
  return files;
}

void RunInput(const shapewise::FuzzTarget& target, const std::string& name,
              const std::string& bytes) {
  std::snprintf(current_name, sizeof(current_name), "%s", name.c_str());
  current_bytes = bytes.data();
  current_size = bytes.size();
  shapewise::RunWithinTime(target.run, reinterpret_cast<const uint8_t*>(bytes.data()),
                           bytes.size());
}

/// A file of the corpus after a few mutations; `seed` decides which.
std::string Stretch(const std::vector<std::pair<std::string, std::string>>& files, size_t head,
                    uint64_t seed) {
  const std::string& bytes = files[seed % files.size()].second;
  const size_t kept = std::min(head, bytes.size());
  std::string text = bytes.substr(kept);
  for (uint64_t i = 0; i <= (seed / files.size()) % kMaxMutations; ++i) {
    text = shapewise::StretchText(text, kMaxSize - kept, seed * kMaxMutations + i, kLongShare);
  }
  return bytes.substr(0, kept) + text;
}

/// What the command line asks for.
struct Arguments {
  std::filesystem::path corpora;
  uint64_t stretched = 0;
  uint64_t from = 0;
  std::vector<std::string_view> targets;
};

std::optional<Arguments> ParseArguments(int argc, char** argv) {
  if (argc < 2) return std::nullopt;
  Arguments arguments{.corpora = argv[1], .targets = {}};
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with("--")) {
      arguments.targets.push_back(word);
      continue;
    }
    if (++i == argc) return std::nullopt;
    (word == "--from" ? arguments.from : arguments.stretched) = std::strtoull(argv[i], nullptr, 10);
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = ParseArguments(argc, argv);
  if (!arguments) {
    std::fputs("usage: replay_fuzz_corpora CORPORA [--stretched N [--from SEED]] [TARGET...]\n",
               stderr);
    return 2;
  }
  HandleSignals();
  bool is_missing = false;
  for (const shapewise::FuzzTarget& target : shapewise::FuzzTargets()) {
    if (!arguments->targets.empty() && std::ranges::count(arguments->targets, target.name) == 0) {
      continue;
    }
    const auto files = FilesIn(arguments->corpora / target.name);
    for (const auto& [name, bytes] : files) RunInput(target, name, bytes);
    uint64_t stretched = 0;
    for (; target.head && !files.empty() && stretched < arguments->stretched; ++stretched) {
      const uint64_t seed = arguments->from + stretched;
      RunInput(target, std::string(target.name) + " seed " + std::to_string(seed),
               Stretch(files, *target.head, seed));
    }
    is_missing |= files.empty();
    std::printf("%-20s %4zu files %6zu stretched%s\n", std::string(target.name).c_str(),
                files.size(), static_cast<size_t>(stretched),
                files.empty() ? ": a target without a corpus" : "");
  }
  return is_missing ? 1 : 0;
}
