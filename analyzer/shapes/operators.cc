#include "shapes/operators.h"

#include <cassert>
#include <iterator>
#include <span>
#include <string_view>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "shapes/rules.h"
#include "support/embedded_file.h"
#include "support/text_scan.h"

namespace shapewise {

/// operators.txt.
std::span<const EmbeddedFile> OperatorTable();
namespace {

// A rule by its name in operators.txt, and its codes in the order of their enum.
struct NamedRule {
  llvm::StringRef name;
  void (*apply)(NodeContext&);
  llvm::StringRef codes{};
};

constexpr NamedRule kRules[] = {
    {"attention", AttentionRule, "plain flash efficient"},
    {"attribute", AttributeRule},
    {"bag", BagRule},
    {"broadcast_tensors", BroadcastTensorsRule},
    {"cat", CatRule},
    {"cell", CellRule},
    {"channel_norm", ChannelNormRule, "batch batch_inference group instance"},
    {"contract", ContractRule, "matmul linear addmm outer einsum"},
    {"convolution", ConvolutionRule, "simple general"},
    {"create", CreateRule, "arange iota eye scalar one_hot"},
    {"diff", DiffRule},
    {"dropout", DropoutRule},
    {"encoder_layer", EncoderLayerRule},
    {"expand", ExpandRule, "expand expand_as repeat repeat_interleave"},
    {"filled", FilledRule,
     "zeros zeros_like new_zeros ones ones_like new_ones full full_like new_full empty empty_like "
     "new_empty"},
    {"flip", FlipRule},
    {"fourier", FourierRule},
    {"get_item", GetItemRule},
    {"glu", GluRule},
    {"gradient", GradientRule,
     "softmax log_softmax layer_norm embedding select slice negative_likelihood convolution "
     "attention"},
    {"ignore", IgnoreRule},
    {"layer_norm", LayerNormRule},
    {"lookup", LookupRule, "embedding gather index_select index"},
    {"loss", LossRule, "cross_entropy negative_likelihood elementwise"},
    {"multi_head_attention", MultiHeadAttentionRule},
    {"nonzero", NonzeroRule},
    {"normalize", NormalizeRule, "vector similarity"},
    {"order", OrderRule, "sort arg_sort top_k median kth_value"},
    {"pad", PadRule},
    {"pair_distance", PairDistanceRule},
    {"permute", PermuteRule, "permute transpose reverse matrix move"},
    {"pointwise", PointwiseRule,
     "identity negate not exp log log1p sqrt rsqrt reciprocal square abs relu sigmoid tanh to_bool "
     "zero_keeping bounded unit unit_zero_keeping positive add subtract reverse_subtract multiply "
     "divide power maximum minimum equal not_equal less less_equal greater greater_equal and or "
     "where masked_fill clamp linear gradient test partial"},
    {"pool", PoolRule, "max average adaptive"},
    {"random", RandomRule},
    {"recurrent", RecurrentRule, "zero one two"},
    {"reduce", ReduceRule,
     "sum mean product max min any all arg_max arg_min log_sum_exp variance norm count_nonzero"},
    {"scan", ScanRule, "any sum"},
    {"scatter", ScatterRule, "scatter scatter_add index_add index_put index_copy"},
    {"select", SelectRule},
    {"set_item", SetItemRule},
    {"shuffle", ShuffleRule, "pixels channels"},
    {"size", SizeRule},
    {"slice", SliceRule, "range narrow"},
    {"softmax", SoftmaxRule, "plain log safe"},
    {"split", SplitRule, "split chunk tensor_split unbind"},
    {"stack", StackRule},
    {"triangle", TriangleRule, "lower upper"},
    {"unfold", UnfoldRule},
    {"upsample", UpsampleRule},
    {"variance_mean", VarianceMeanRule},
    {"view", ViewRule, "view view_as flatten unflatten squeeze unsqueeze ravel"},
};

// In the order of the bits of OperatorFlag.
constexpr llvm::StringRef kFlags = "sizes shape_only first_only pair tuple view";

using Words = llvm::SmallVector<llvm::StringRef, 16>;

Words Split(llvm::StringRef text) {
  Words words;
  text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return words;
}

uint8_t PlaceIn(llvm::StringRef list, llvm::StringRef word) {
  const Words words = Split(list);
  const auto* const found = llvm::find(words, word);
  assert(found != words.end());
  return static_cast<uint8_t>(found - words.begin());
}

// The rule, code and flags that a heading of operators.txt names: "order top_k +sizes".
OperatorRule RuleOf(llvm::StringRef heading) {
  const Words words = Split(heading);
  const auto* const named =
      llvm::find_if(kRules, [&](const NamedRule& rule) { return rule.name == words[0]; });
  assert(named != std::end(kRules));
  OperatorRule rule{.apply = named->apply};
  for (llvm::StringRef word : llvm::drop_begin(words)) {
    if (word.consume_front("+")) {
      rule.flags |= static_cast<uint8_t>(1U << PlaceIn(kFlags, word));
    } else {
      rule.code = PlaceIn(named->codes, word);
    }
  }
  return rule;
}

llvm::StringMap<OperatorRule> ReadOperators() {
  llvm::StringMap<OperatorRule> by_name;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  llvm::StringRef(OperatorTable().front().text).split(lines, '\n');
  OperatorRule rule;
  for (llvm::StringRef line : lines) {
    if (line.empty() || line.front() == '#') continue;
    if (line.consume_front("[")) {
      rule = RuleOf(line.drop_back());
    } else {
      for (const llvm::StringRef name : Split(line)) by_name[name] = rule;
    }
  }
  return by_name;
}

constexpr std::string_view kFunctional = "torch.nn.functional.";
constexpr std::string_view kSymbolic = "torch.sym_";

// If one prefix starts with another, the longer one comes first.
constexpr std::string_view kPrefixes[] = {"torch.ops.aten.",
                                          "torch.ops.prims.",
                                          "aten.",
                                          "aten::",
                                          "prims.",
                                          "inductor_prims.",
                                          kFunctional,
                                          "torch._C._nn.",
                                          "torch._C._special.",
                                          "torch._C._linalg.",
                                          "torch._C._fft.",
                                          "torch.functional.",
                                          "torch.special.",
                                          "torch.linalg.",
                                          "torch.Tensor.",
                                          kSymbolic,
                                          "torch._C.",
                                          "torch.",
                                          "_operator.",
                                          "operator."};

}  // namespace

OperatorName ParseOperatorName(std::string_view target) {
  OperatorName name;
  bool is_aten = false;
  for (std::string_view prefix : kPrefixes) {
    if (!target.starts_with(prefix)) continue;
    name.is_python = prefix.ends_with("operator.");
    name.is_functional = prefix == kFunctional;
    is_aten = prefix.ends_with("aten.") || prefix.ends_with("prims.");
    // torch.sym_max is sym_max.
    if (prefix == kSymbolic) prefix = "torch.";
    target.remove_prefix(prefix.size());
    break;
  }
  if (is_aten) target = target.substr(0, target.find('.'));
  const bool is_dunder = target.starts_with("__") && target.ends_with("__");
  if (!is_dunder && target.size() > 1 && target.ends_with('_')) {
    // operator.and_ avoids a keyword, Tensor.add_ writes to its operand.
    target.remove_suffix(1);
    name.is_in_place = !name.is_python;
  }
  name.is_in_place |= IsOneOf(target, {"setitem", "iadd", "isub", "imul", "itruediv", "ifloordiv",
                                       "imod", "iand", "ior", "ixor", "__iadd__", "__imul__"});
  name.base = target;
  return name;
}

const OperatorRule* FindOperator(std::string_view base) {
  static const llvm::StringMap<OperatorRule> rules = ReadOperators();
  const auto at = rules.find(base);
  return at == rules.end() ? nullptr : &at->second;
}

}  // namespace shapewise
