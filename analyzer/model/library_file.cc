#include "shapewise/model/library_file.h"

#include <algorithm>
#include <string>

#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

std::string WithSlashes(std::string_view file) {
  std::string path(file);
  std::replace(path.begin(), path.end(), '\\', '/');
  return path;
}

/// Whether `path` goes through `folders`, one or several whole names such as "torch/nn/".
bool GoesThrough(std::string_view path, std::string_view folders) {
  for (size_t at = FindText(path, folders); at != kNotFound; at = FindText(path, folders, at + 1)) {
    if (at == 0 || path[at - 1] == '/') return true;
  }
  return false;
}

/// Whether `path` goes through a folder of Python's own modules: "lib/python3.11/json/decoder.py".
bool IsOfPython(std::string_view path) {
  constexpr std::string_view kHead = "lib/python";
  for (size_t at = FindText(path, kHead); at != kNotFound; at = FindText(path, kHead, at + 1)) {
    const size_t version = at + kHead.size();
    const bool is_folder = at == 0 || path[at - 1] == '/';
    if (is_folder && version < path.size() && IsDigit(path[version])) return true;
  }
  return false;
}

/// Whether `path` begins below the folder of torch itself, as comments of guards name its files
/// (torch/utils/_traceback.py, shorten_filename): "nn/modules/linear.py". Projects have folders
/// called nn and optim as well, so files there are known by their names (PyTorch 2.0 to 2.13).
bool IsBelowTorch(std::string_view path) {
  if (path.starts_with("_dynamo/") || path.starts_with("_functorch/") ||
      path.starts_with("_higher_order_ops/")) {
    return true;
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

}  // namespace

bool IsLibraryFile(std::string_view file) {
  const std::string path = WithSlashes(file);
  for (const std::string_view folders :
       {"site-packages/", "dist-packages/", "torch_xla/", "torch/nn/", "torch/optim/",
        "torch/utils/", "torch/distributed/", "torch/autograd/", "torch/ao/", "torch/fx/"}) {
    if (GoesThrough(path, folders)) return true;
  }
  if (IsOfPython(path) || IsBelowTorch(path) || HasText(path, "/torch/_")) return true;
  for (const std::string_view package :
       {"torch/", "transformers/", "diffusers/", "accelerate/", "peft/", "timm/"}) {
    if (path.starts_with(package)) return true;
  }
  return false;
}

}  // namespace shapewise
