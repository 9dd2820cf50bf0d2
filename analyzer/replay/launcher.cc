// shapewise-replay: finds torch, checks that it is the release this was built with, loads it and
// then the engine, which does the work. The launcher is not linked to torch, so that any installed
// release can be rejected with a message. Reasons for this order: analyzer/docs/replay-native.md.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>

#include "torch/headeronly/version.h"

namespace shapewise::replay {
namespace {

constexpr int kTrouble = 2;

int Fail(const std::string& message) {
  fprintf(stderr, "shapewise-replay: error: %s\n", message.c_str());
  return kTrouble;
}

/// The value of --torch DIR or --torch=DIR; the engine reads the other arguments.
std::string TorchOption(int argc, char** argv) {
  constexpr std::string_view kOption = "--torch";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == kOption && i + 1 < argc) return argv[i + 1];
    if (argument.starts_with(kOption) && argument.substr(kOption.size()).starts_with("=")) {
      return std::string(argument.substr(kOption.size() + 1));
    }
  }
  return {};
}

/// An installed torch.
struct TorchPackage {
  std::string root;     ///< the folder of the package: ".../site-packages/torch"
  std::string version;  ///< "2.13.0+cpu"; empty: not in its version.py

  /// Without the part after '+', which identifies a build of the release.
  std::string Release() const { return version.substr(0, version.find('+')); }
};

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

/// Finds torch, in this order: `given`, $SHAPEWISE_TORCH_ROOT, the package that `python3` would
/// import, and the one this program was built with. The first two are used even if nothing is
/// there. An empty root: not found.
TorchPackage FindTorchPackage(const std::string& given) {
  TorchPackage package;
  package.root = FindRoot(given);
  if (!package.root.empty()) package.version = VersionOf(package.root);
  return package;
}

std::string LastLoadError() {
  const char* text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

/// Loads one of torch's libraries with global symbols. False: failed.
bool LoadLibrary(const std::filesystem::path& path) {
  return dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr;
}

int Launch(int argc, char** argv) {
  const TorchPackage torch = FindTorchPackage(TorchOption(argc, argv));
  if (torch.root.empty()) {
    return Fail(
        "torch was not found in python3; give its folder with --torch or "
        "$SHAPEWISE_TORCH_ROOT, e.g. venv/lib/python3.11/site-packages/torch");
  }
  if (torch.version.empty())
    return Fail(torch.root + ": no torch, or its version.py does not name the release");
  if (torch.Release() != TORCH_VERSION) {
    return Fail("built with torch " TORCH_VERSION ", but " + torch.root + " is torch " +
                torch.version +
                ": build analyzer/replay with it, or name a torch " TORCH_VERSION " by --torch");
  }

  const std::filesystem::path libraries = std::filesystem::path(torch.root) / "lib";
  for (const char* name : {"libc10.so", "libtorch_cpu.so"}) {
    if (!LoadLibrary(libraries / name)) return Fail(LastLoadError());
  }
  // CUDA kernels register themselves when loaded; nothing calls them by name.
  const std::filesystem::path cuda = libraries / "libtorch_cuda.so";
  if (std::filesystem::exists(cuda) && !LoadLibrary(cuda)) {
    fprintf(stderr, "shapewise-replay: warning: no CUDA: %s\n", LastLoadError().c_str());
  }

  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path engine = program.parent_path() / "shapewise-replay-engine.so";
  void* library = dlopen(engine.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Fail(LastLoadError());
  using Main = int (*)(int, char**);
  const auto main = reinterpret_cast<Main>(dlsym(library, "ShapewiseReplayMain"));
  if (main == nullptr) return Fail(LastLoadError());
  return main(argc, argv);
}

}  // namespace
}  // namespace shapewise::replay

int main(int argc, char** argv) {
  try {
    return shapewise::replay::Launch(argc, argv);
  } catch (const std::exception& error) {
    return shapewise::replay::Fail(error.what());
  }
}
