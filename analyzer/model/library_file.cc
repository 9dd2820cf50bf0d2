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

}  // namespace

bool IsLibraryFile(std::string_view file) {
  const std::string path = WithSlashes(file);
  for (const std::string_view folder :
       {"site-packages/", "dist-packages/", "lib/python", "torch_xla/", "/torch/_", "/torch/nn/",
        "/torch/optim/", "/torch/utils/", "/torch/distributed/", "/torch/autograd/", "/torch/ao/",
        "/torch/fx/"}) {
    if (HasText(path, folder)) return true;
  }
  for (const std::string_view package :
       {"torch/", "nn/", "optim/", "_dynamo/", "_functorch/", "_higher_order_ops/", "transformers/",
        "diffusers/", "accelerate/", "peft/", "timm/"}) {
    if (path.starts_with(package)) return true;
  }
  return false;
}

}  // namespace shapewise
