// Aliases of names.

#include <iterator>
#include <string_view>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "source/outside.h"
#include "source/outside_table.h"

namespace shapewise {
namespace {

struct Alias {
  std::string_view name;
  std::string_view standard;
};

/// Ascending by name.
constexpr Alias kAliases[] = {
    {"numpy.absolute", "numpy.abs"},
    {"numpy.amax", "numpy.max"},
    {"numpy.amin", "numpy.min"},
    {"numpy.asanyarray", "numpy.asarray"},
    {"numpy.bool", "numpy.bool_"},
    {"numpy.concat", "numpy.concatenate"},
    {"numpy.core.multiarray.ndarray", "numpy.ndarray"},
    {"numpy.random.mtrand.RandomState", "numpy.random.RandomState"},
    {"numpy.round_", "numpy.round"},
    {"torch.FloatTensor.__call__", "torch.FloatTensor"},
    {"torch.Tensor.absolute", "torch.Tensor.abs"},
    {"torch.Tensor.clip", "torch.Tensor.clamp"},
    {"torch.Tensor.divide", "torch.Tensor.div"},
    {"torch.Tensor.greater", "torch.Tensor.gt"},
    {"torch.Tensor.greater_equal", "torch.Tensor.ge"},
    {"torch.Tensor.less", "torch.Tensor.lt"},
    {"torch.Tensor.less_equal", "torch.Tensor.le"},
    {"torch.Tensor.moveaxis", "torch.Tensor.movedim"},
    {"torch.Tensor.multiply", "torch.Tensor.mul"},
    {"torch.Tensor.ndimension", "torch.Tensor.dim"},
    {"torch.Tensor.negative", "torch.Tensor.neg"},
    {"torch.Tensor.nelement", "torch.Tensor.numel"},
    {"torch.Tensor.not_equal", "torch.Tensor.ne"},
    {"torch.Tensor.subtract", "torch.Tensor.sub"},
    {"torch.Tensor.swapaxes", "torch.Tensor.transpose"},
    {"torch.Tensor.swapdims", "torch.Tensor.transpose"},
    {"torch.Tensor.true_divide", "torch.Tensor.div"},
    {"torch._C._nn.gelu", "torch.nn.functional.gelu"},
    {"torch._C._nn.one_hot", "torch.nn.functional.one_hot"},
    {"torch._C._nn.scaled_dot_product_attention",
     "torch.nn.functional.scaled_dot_product_attention"},
    {"torch.absolute", "torch.abs"},
    {"torch.amp.autocast", "torch.autocast"},
    {"torch.amp.autocast_mode.autocast", "torch.autocast"},
    {"torch.autograd.Variable", "torch.Tensor"},
    {"torch.autograd.enable_grad", "torch.enable_grad"},
    {"torch.autograd.grad_mode.enable_grad", "torch.enable_grad"},
    {"torch.autograd.grad_mode.inference_mode", "torch.inference_mode"},
    {"torch.autograd.grad_mode.no_grad", "torch.no_grad"},
    {"torch.autograd.grad_mode.set_grad_enabled", "torch.set_grad_enabled"},
    {"torch.autograd.no_grad", "torch.no_grad"},
    {"torch.autograd.profiler.record_function", "torch.profiler.record_function"},
    {"torch.clip", "torch.clamp"},
    {"torch.compiler.graph_break", "torch._dynamo.graph_break"},
    {"torch.concat", "torch.cat"},
    {"torch.concatenate", "torch.cat"},
    {"torch.cuda.amp.autocast", "torch.autocast"},
    {"torch.divide", "torch.div"},
    {"torch.greater", "torch.gt"},
    {"torch.greater_equal", "torch.ge"},
    {"torch.less", "torch.lt"},
    {"torch.less_equal", "torch.le"},
    {"torch.linalg.matmul", "torch.matmul"},
    {"torch.moveaxis", "torch.movedim"},
    {"torch.multiply", "torch.mul"},
    {"torch.negative", "torch.neg"},
    {"torch.nn.functional.avg_pool1d", "torch.avg_pool1d"},
    {"torch.nn.functional.conv1d", "torch.conv1d"},
    {"torch.nn.functional.conv2d", "torch.conv2d"},
    {"torch.nn.functional.conv3d", "torch.conv3d"},
    {"torch.nn.functional.cosine_similarity", "torch.cosine_similarity"},
    {"torch.nn.functional.log_softmax", "torch.log_softmax"},
    {"torch.nn.functional.pairwise_distance", "torch.pairwise_distance"},
    {"torch.nn.functional.pdist", "torch.pdist"},
    {"torch.nn.functional.pixel_shuffle", "torch.pixel_shuffle"},
    {"torch.nn.functional.pixel_unshuffle", "torch.pixel_unshuffle"},
    {"torch.nn.functional.relu", "torch.relu"},
    {"torch.nn.functional.sigmoid", "torch.sigmoid"},
    {"torch.nn.functional.softmax", "torch.softmax"},
    {"torch.nn.functional.tanh", "torch.tanh"},
    {"torch.nn.parallel.DataParallel", "torch.nn.DataParallel"},
    {"torch.nn.parameter.Buffer", "torch.nn.Buffer"},
    {"torch.nn.parameter.Parameter", "torch.nn.Parameter"},
    {"torch.not_equal", "torch.ne"},
    {"torch.onnx.utils.is_in_onnx_export", "torch.onnx.is_in_onnx_export"},
    {"torch.row_stack", "torch.vstack"},
    {"torch.special.digamma", "torch.digamma"},
    {"torch.special.erf", "torch.erf"},
    {"torch.special.erfc", "torch.erfc"},
    {"torch.special.erfinv", "torch.erfinv"},
    {"torch.special.exp2", "torch.exp2"},
    {"torch.special.expit", "torch.sigmoid"},
    {"torch.special.expm1", "torch.expm1"},
    {"torch.special.gammaln", "torch.lgamma"},
    {"torch.special.i0", "torch.i0"},
    {"torch.special.log1p", "torch.log1p"},
    {"torch.special.log_softmax", "torch.log_softmax"},
    {"torch.special.logit", "torch.logit"},
    {"torch.special.logsumexp", "torch.logsumexp"},
    {"torch.special.multigammaln", "torch.mvlgamma"},
    {"torch.special.polygamma", "torch.polygamma"},
    {"torch.special.psi", "torch.digamma"},
    {"torch.special.round", "torch.round"},
    {"torch.special.sinc", "torch.sinc"},
    {"torch.special.softmax", "torch.softmax"},
    {"torch.special.xlogy", "torch.xlogy"},
    {"torch.subtract", "torch.sub"},
    {"torch.swapaxes", "torch.transpose"},
    {"torch.swapdims", "torch.transpose"},
    {"torch.true_divide", "torch.div"},
    {"tqdm.auto.tqdm", "tqdm.tqdm"},
    {"tqdm.auto.trange", "tqdm.trange"},
    {"tqdm.notebook.tqdm", "tqdm.tqdm"},
    {"tqdm.std.tqdm", "tqdm.tqdm"},
};

constexpr bool IsAscending() {
  for (size_t i = 1; i < std::size(kAliases); ++i) {
    if (kAliases[i - 1].name >= kAliases[i].name) return false;
  }
  return true;
}
static_assert(IsAscending());

/// Packages that have the same names as another one.
struct PackageAlias {
  std::string_view package;
  std::string_view standard;
};

constexpr PackageAlias kPackageAliases[] = {
    {"torch.distributions.", "torch.distributions."},
    {"torch.distributed.distributed_c10d.", "torch.distributed."},
    {"torch.functional.", "torch."},
    {"torch.nn.modules.", "torch.nn."},
    {"torch._tensor.", "torch."},
    {"numpy.core.", "numpy."},
};

}  // namespace

std::string_view CanonicalName(std::string_view dotted) {
  static const llvm::DenseMap<llvm::StringRef, std::string_view> aliases = [] {
    llvm::DenseMap<llvm::StringRef, std::string_view> all;
    for (const Alias& alias : kAliases) {
      all[{alias.name.data(), alias.name.size()}] = alias.standard;
    }
    return all;
  }();
  const auto found = aliases.find({dotted.data(), dotted.size()});
  if (found != aliases.end()) return found->second;
  for (const PackageAlias& alias : kPackageAliases) {
    if (!dotted.starts_with(alias.package)) continue;
    const std::string_view last = dotted.substr(dotted.rfind('.') + 1);
    const OutsideRow row = FindOutside(alias.standard, last);
    if (row.group != nullptr) return row.name;
  }
  return dotted;
}

}  // namespace shapewise
