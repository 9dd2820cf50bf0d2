#include "model/code_owner.h"

#include <algorithm>
#include <functional>
#include <string>

#include "support/text_scan.h"

namespace shapewise {
namespace {

std::string WithSlashes(std::string_view file) {
  std::string path(file);
  std::replace(path.begin(), path.end(), '\\', '/');
  return path;
}

/// What follows the first folder `folder` of `path`; npos if it has no such folder.
size_t AfterFolder(std::string_view path, std::string_view folder) {
  for (size_t at = FindText(path, folder); at != kNotFound; at = FindText(path, folder, at + 1)) {
    if (at == 0 || path[at - 1] == '/') return at + folder.size();
  }
  return kNotFound;
}

/// What follows the folder of installed packages; npos if `path` does not go through it.
size_t AfterPackages(std::string_view path) {
  const size_t after = AfterFolder(path, "site-packages/");
  return after == kNotFound ? AfterFolder(path, "dist-packages/") : after;
}

/// The version in the folder of Python's own modules: "3.11" of "lib/python3.11/json/decoder.py".
/// Empty if the path does not go through it.
std::string_view VersionOfPython(std::string_view path) {
  constexpr std::string_view kHead = "lib/python";
  for (size_t at = FindText(path, kHead); at != kNotFound; at = FindText(path, kHead, at + 1)) {
    const size_t version = at + kHead.size();
    const bool is_folder = at == 0 || path[at - 1] == '/';
    if (!is_folder || version >= path.size() || !IsDigit(path[version])) continue;
    const size_t end = path.find_first_not_of("0123456789.", version);
    return path.substr(version, end == kNotFound ? kNotFound : end - version);
  }
  return {};
}

/// The package whose folder or module begins `path`, which is below site-packages:
/// "torch/nn/init.py", "six.py", "six-1.16.0-py3.9.egg/six.py".
CodeOwner OwnerOfPackage(std::string_view path) {
  CodeOwner owner{.library = path.substr(0, path.find('/')), .version = {}};
  std::string_view& name = owner.library;
  if (name.ends_with(".egg")) {
    const size_t dash = name.find('-');
    if (dash != kNotFound) {
      owner.version = name.substr(dash + 1);
      owner.version = owner.version.substr(0, owner.version.find('-'));
      name = name.substr(0, dash);
    }
  } else if (name.ends_with(".py")) {
    name.remove_suffix(3);
  }
  if (name.empty()) name = "python";
  return owner;
}

/// Whether `path` begins below the folder of torch itself, as comments of guards name its files
/// (torch/utils/_traceback.py, shorten_filename): "nn/modules/linear.py". Projects have folders
/// called nn and optim as well, so files there are known by their names (PyTorch 2.0 to 2.13).
bool IsBelowTorch(std::string_view path) {
  for (const std::string_view front :
       {"_decomp/", "_dynamo/", "_export/", "_functorch/", "_higher_order_ops/", "_inductor/",
        "_meta_registra", "_ops.py", "_prims_common/", "_refs/", "_subclasses/", "_tensor.py",
        "fx/experimental/"}) {
    if (path.starts_with(front)) return true;
  }
  if (ConsumeFront(path, "nn/modules/")) {
    return IsOneOf(path, {"_functions.py",   "activation.py",     "adaptive.py",
                          "batchnorm.py",    "channelshuffle.py", "container.py",
                          "conv.py",         "distance.py",       "dropout.py",
                          "flatten.py",      "fold.py",           "instancenorm.py",
                          "lazy.py",         "linear.py",         "loss.py",
                          "module.py",       "normalization.py",  "padding.py",
                          "pixelshuffle.py", "pooling.py",        "rnn.py",
                          "sparse.py",       "transformer.py",    "upsampling.py"});
  }
  if (ConsumeFront(path, "nn/")) {
    return IsOneOf(path, {"functional.py", "init.py", "parameter.py", "attention/flex_attention.py",
                          "parallel/data_parallel.py", "parallel/distributed.py",
                          "utils/parametrizations.py", "utils/parametrize.py"});
  }
  if (ConsumeFront(path, "optim/")) {
    return IsOneOf(path, {"_adafactor.py", "_functional.py", "_muon.py", "adadelta.py",
                          "adagrad.py", "adam.py", "adamax.py", "adamw.py", "asgd.py", "lbfgs.py",
                          "lr_scheduler.py", "nadam.py", "optimizer.py", "radam.py", "rmsprop.py",
                          "rprop.py", "sgd.py", "sparse_adam.py", "swa_utils.py"});
  }
  return false;
}

/// The owner of a path with slashes.
CodeOwner OwnerOfPath(std::string_view path) {
  const size_t installed = AfterPackages(path);
  if (installed != kNotFound) return OwnerOfPackage(path.substr(installed));
  if (AfterFolder(path, "torch_xla/") != kNotFound) return {.library = "torch_xla", .version = {}};
  for (const std::string_view folder :
       {"torch/nn/", "torch/optim/", "torch/utils/", "torch/distributed/", "torch/autograd/",
        "torch/ao/", "torch/fx/"}) {
    if (AfterFolder(path, folder) != kNotFound) return {.library = "torch", .version = {}};
  }
  if (IsBelowTorch(path) || HasText(path, "/torch/_")) return {.library = "torch", .version = {}};
  if (const std::string_view version = VersionOfPython(path); !version.empty()) {
    return {.library = "python", .version = version};
  }
  // Modules in the program itself: "<frozen genericpath>".
  if (path.starts_with("<frozen ")) return {.library = "python", .version = {}};
  for (const std::string_view package :
       {"torch", "transformers", "diffusers", "accelerate", "peft", "timm"}) {
    std::string_view rest = path;
    if (ConsumeFront(rest, package) && rest.starts_with('/')) {
      return {.library = package, .version = {}};
    }
  }
  return {};
}

}  // namespace

std::string_view PathFromPackage(std::string_view file) {
  const size_t package = AfterPackages(WithSlashes(file));
  return package == kNotFound ? file : file.substr(package);
}

CodeOwner OwnerOf(std::string_view file) {
  const std::string path = WithSlashes(file);
  CodeOwner owner = OwnerOfPath(path);
  // The copy has the same places as the path itself.
  for (std::string_view* const text : {&owner.library, &owner.version}) {
    const bool is_of_copy = !text->empty() && !std::less<>()(text->data(), path.data()) &&
                            std::less<>()(text->data(), path.data() + path.size());
    if (!is_of_copy) continue;
    *text = file.substr(static_cast<size_t>(text->data() - path.data()), text->size());
  }
  return owner;
}

bool IsOtherPackage(std::string_view file) {
  return !IsOneOf(OwnerOf(file).library, {"", "torch", "torch_xla", "triton", "python"});
}

}  // namespace shapewise
