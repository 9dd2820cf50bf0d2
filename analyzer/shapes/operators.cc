#include "shapes/operators.h"

#include <array>

#include "llvm/ADT/StringMap.h"
#include "shapes/fill.h"
#include "shapes/rules.h"

namespace shapewise {
namespace {

// One line of the table: names that follow one rule, separated by spaces.
struct TableLine {
  std::string_view names;
  void (*apply)(NodeContext&);
  uint8_t code = 0;
  uint8_t flags = 0;
};

template <typename Enum>
constexpr uint8_t Code(Enum value) {
  return static_cast<uint8_t>(value);
}

using P = Pointwise;
using R = Reduction;
using C = Creation;
using V = NewTensor::Values;
using S = NewTensor::Sizes;

// Names are ATen names without overload; the names in prims, torch.nn.functional, Tensor methods
// and Python's operator module are listed next to them if they differ.
constexpr auto kTable = std::to_array<TableLine>({
    // elementwise: the same elements
    {"clone _to_copy lift_fresh_copy convert_element_type device_put nan_to_num NumToTensor "
     "ImplicitTensorNum cast pin_memory",
     PointwiseRule, Code(P::kIdentity), kTakesSizes},
    {"detach contiguous alias to type type_as float double half bfloat16 int long short byte char "
     "cpu cuda lift_fresh lift positive pos resolve_conj resolve_neg conj _conj real",
     PointwiseRule, Code(P::kIdentity), kTakesSizes | kIsView},
    {"bool", PointwiseRule, Code(P::kToBool)},
    // elementwise: arithmetic
    {"add iadd radd __add__ __radd__ __iadd__", PointwiseRule, Code(P::kAdd)},
    {"sub isub subtract __sub__ __isub__", PointwiseRule, Code(P::kSubtract)},
    {"rsub __rsub__", PointwiseRule, Code(P::kReverseSubtract)},
    {"mul imul multiply __mul__ __rmul__ __imul__", PointwiseRule, Code(P::kMultiply)},
    {"div divide true_divide truediv itruediv __truediv__", PointwiseRule, Code(P::kDivide)},
    {"pow __pow__ float_power", PointwiseRule, Code(P::kPower)},
    {"maximum fmax", PointwiseRule, Code(P::kMaximum)},
    {"minimum fmin", PointwiseRule, Code(P::kMinimum)},
    {"clamp clip", PointwiseRule, Code(P::kClamp)},
    {"clamp_min", PointwiseRule, Code(P::kMaximum)},
    {"clamp_max", PointwiseRule, Code(P::kMinimum)},
    {"floor_divide floordiv ifloordiv remainder fmod mod imod atan2 arctan2 hypot copysign "
     "nextafter xlogy ldexp logaddexp logaddexp2 bitwise_left_shift bitwise_right_shift lshift "
     "rshift __rshift__ __lshift__ zeta polygamma igamma heaviside gcd lcm",
     PointwiseRule, Code(P::kPartial)},
    {"addcmul addcdiv lerp fma", PointwiseRule, Code(P::kLinear)},
    // elementwise: comparisons and logic
    {"eq __eq__", PointwiseRule, Code(P::kEqual)},
    {"ne __ne__ not_equal", PointwiseRule, Code(P::kNotEqual)},
    {"lt less __lt__", PointwiseRule, Code(P::kLess)},
    {"le less_equal __le__", PointwiseRule, Code(P::kLessEqual)},
    {"gt greater __gt__", PointwiseRule, Code(P::kGreater)},
    {"ge greater_equal __ge__", PointwiseRule, Code(P::kGreaterEqual)},
    {"logical_and bitwise_and and iand __and__ __iand__ __rand__", PointwiseRule, Code(P::kAnd)},
    {"logical_or bitwise_or or ior __or__ __ior__ __ror__", PointwiseRule, Code(P::kOr)},
    {"logical_not bitwise_not invert inv __invert__ not", PointwiseRule, Code(P::kNot)},
    {"logical_xor bitwise_xor xor ixor __xor__ isnan isinf isfinite isposinf isneginf signbit "
     "isclose isin",
     PointwiseRule, Code(P::kTest)},
    {"where", PointwiseRule, Code(P::kWhere)},
    {"masked_fill", PointwiseRule, Code(P::kMaskedFill)},
    // elementwise: functions
    {"neg negative", PointwiseRule, Code(P::kNegate)},
    {"exp exp2", PointwiseRule, Code(P::kExp)},
    {"log log2 log10", PointwiseRule, Code(P::kLog)},
    {"log1p", PointwiseRule, Code(P::kLog1p)},
    {"sqrt", PointwiseRule, Code(P::kSqrt)},
    {"rsqrt", PointwiseRule, Code(P::kRsqrt)},
    {"reciprocal", PointwiseRule, Code(P::kReciprocal)},
    {"square", PointwiseRule, Code(P::kSquare)},
    {"abs absolute", PointwiseRule, Code(P::kAbs)},
    {"relu relu6", PointwiseRule, Code(P::kRelu)},
    {"sigmoid", PointwiseRule, Code(P::kSigmoid)},
    {"tanh", PointwiseRule, Code(P::kTanh)},
    {"gelu silu elu celu selu mish hardswish leaky_relu asinh arcsinh atan arctan sinh expm1 round "
     "floor ceil "
     "trunc fix tanhshrink hardshrink softshrink deg2rad rad2deg threshold prelu _prelu_kernel",
     PointwiseRule, Code(P::kZeroKeeping)},
    {"sin erf special_erf sign sgn softsign frac", PointwiseRule, Code(P::kUnitZeroKeeping)},
    {"cos hardsigmoid sinc", PointwiseRule, Code(P::kUnit)},
    {"hardtanh log_sigmoid logsigmoid i0 angle", PointwiseRule, Code(P::kBounded)},
    {"softplus cosh erfc", PointwiseRule, Code(P::kPositive)},
    {"acos asin tan atanh acosh arccos arcsin arctanh arccosh lgamma digamma logit erfinv",
     PointwiseRule, Code(P::kPartial)},
    // elementwise: gradients, linear in the first operand
    {"threshold_backward gelu_backward silu_backward sigmoid_backward tanh_backward elu_backward "
     "hardtanh_backward hardswish_backward hardsigmoid_backward leaky_relu_backward "
     "softplus_backward mish_backward native_dropout_backward log_sigmoid_backward",
     PointwiseRule, Code(P::kGradient)},
    // random numbers
    {"dropout alpha_dropout feature_dropout dropout1d dropout2d dropout3d", DropoutRule},
    {"native_dropout", DropoutRule, 0, kTuple},
    {"rand randn randint rand_like randn_like randint_like bernoulli normal uniform exponential "
     "multinomial randperm inductor_random inductor_randint poisson rrelu",
     RandomRule, 0, kTakesSizes | kShapeOnly},
    // reductions
    {"sum nansum", ReduceRule, Code(R::kSum)},
    {"mean nanmean", ReduceRule, Code(R::kMean)},
    {"prod", ReduceRule, Code(R::kProduct)},
    {"amax", ReduceRule, Code(R::kMax)},
    {"amin", ReduceRule, Code(R::kMin)},
    {"max", ReduceRule, Code(R::kMax), kPair},
    {"min", ReduceRule, Code(R::kMin), kPair},
    {"any", ReduceRule, Code(R::kAny)},
    {"all", ReduceRule, Code(R::kAll)},
    {"argmax", ReduceRule, Code(R::kArgMax)},
    {"argmin", ReduceRule, Code(R::kArgMin)},
    {"logsumexp", ReduceRule, Code(R::kLogSumExp)},
    {"var std", ReduceRule, Code(R::kVariance)},
    {"norm linalg_vector_norm vector_norm", ReduceRule, Code(R::kNorm)},
    {"count_nonzero", ReduceRule, Code(R::kCountNonzero)},
    {"var_mean std_mean", VarianceMeanRule},
    {"softmax _softmax", SoftmaxRule, Code(Softmax::kPlain)},
    {"log_softmax _log_softmax", SoftmaxRule, Code(Softmax::kLog)},
    {"_safe_softmax", SoftmaxRule, Code(Softmax::kSafe)},
    {"cumsum", ScanRule, 1},
    {"cumprod logcumsumexp", ScanRule, 0},
    {"cummax cummin", ScanRule, 0, kPair},
    {"sort msort", OrderRule, Code(Order::kSort)},
    {"argsort", OrderRule, Code(Order::kArgSort)},
    {"topk", OrderRule, Code(Order::kTopK), kTakesSizes},
    {"median nanmedian", OrderRule, Code(Order::kMedian)},
    {"kthvalue", OrderRule, Code(Order::kKthValue)},
    // products
    {"matmul mm bmm mv dot vdot __matmul__ _int_mm", ContractRule, Code(Contraction::kMatmul)},
    {"linear", ContractRule, Code(Contraction::kLinear)},
    {"addmm baddbmm addmv", ContractRule, Code(Contraction::kAddmm)},
    {"outer ger", ContractRule, Code(Contraction::kOuter)},
    {"einsum", ContractRule, Code(Contraction::kEinsum)},
    // views
    {"view reshape _unsafe_view _reshape_alias view_copy", ViewRule, Code(View::kView),
     kTakesSizes | kIsView},
    {"view_as reshape_as", ViewRule, Code(View::kViewAs), kTakesSizes | kFirstOnly | kIsView},
    {"flatten", ViewRule, Code(View::kFlatten), kIsView},
    {"ravel", ViewRule, Code(View::kRavel), kIsView},
    {"unflatten", ViewRule, Code(View::kUnflatten), kTakesSizes | kIsView},
    {"squeeze squeeze_copy", ViewRule, Code(View::kSqueeze), kIsView},
    {"unsqueeze unsqueeze_copy expand_dims", ViewRule, Code(View::kUnsqueeze), kIsView},
    {"permute permute_copy", PermuteRule, Code(Permutation::kPermute), kIsView},
    {"transpose swapaxes swapdims transpose_copy", PermuteRule, Code(Permutation::kTranspose),
     kIsView},
    {"t T", PermuteRule, Code(Permutation::kReverse), kIsView},
    {"mT adjoint", PermuteRule, Code(Permutation::kMatrix), kIsView},
    {"movedim moveaxis", PermuteRule, Code(Permutation::kMove), kIsView},
    {"expand broadcast_to expand_copy", ExpandRule, Code(Expansion::kExpand),
     kTakesSizes | kIsView},
    {"expand_as", ExpandRule, Code(Expansion::kExpandAs), kTakesSizes | kFirstOnly | kIsView},
    {"repeat tile", ExpandRule, Code(Expansion::kRepeat), kTakesSizes | kIsView},
    {"repeat_interleave", ExpandRule, Code(Expansion::kRepeatInterleave), kTakesSizes | kIsView},
    {"flip rev roll", FlipRule},
    {"getattr", AttributeRule, 0, kTakesSizes | kIsView},
    // parts
    {"select select_copy", SelectRule, 0, kTakesSizes | kIsView},
    {"slice slice_copy", SliceRule, 0, kTakesSizes | kIsView},
    {"narrow narrow_copy", SliceRule, 1, kTakesSizes | kIsView},
    {"getitem __getitem__", GetItemRule, 0, kTakesSizes | kIsView},
    {"split split_with_sizes split_copy unsafe_split unsafe_split_with_sizes", SplitRule,
     Code(Division::kSplit), kTakesSizes | kIsView},
    {"chunk unsafe_chunk", SplitRule, Code(Division::kChunk), kTakesSizes | kIsView},
    {"tensor_split", SplitRule, Code(Division::kTensorSplit), kTakesSizes | kIsView},
    {"unbind unbind_copy", SplitRule, Code(Division::kUnbind), kIsView},
    {"unfold unfold_copy", UnfoldRule},
    {"cat concat concatenate", CatRule},
    {"stack", StackRule},
    {"broadcast_tensors", BroadcastTensorsRule},
    {"constant_pad_nd pad", PadRule, 0, kTakesSizes},
    {"tril", TriangleRule, 0, kTakesSizes},
    {"triu", TriangleRule, 1, kTakesSizes},
    // pairs
    {"glu", GluRule},
    {"diff", DiffRule},
    {"cdist _cdist_forward", PairDistanceRule},
    {"fft_fft fft_ifft fft_rfft fft_irfft fft_hfft fft_ihfft fft_fft2 fft_ifft2 fft_rfft2 "
     "fft_irfft2 "
     "fft_fftn fft_ifftn fft_rfftn fft_irfftn",
     FourierRule, 0, kTakesSizes},
    {"gru_cell rnn_tanh_cell rnn_relu_cell", CellRule},
    {"lstm_cell", CellRule, 0, kTuple},
    {"lstm", RecurrentRule, 2},
    {"gru rnn_tanh rnn_relu", RecurrentRule, 1},
    // by index
    {"embedding_bag _embedding_bag _embedding_bag_forward_only", BagRule},
    {"embedding", LookupRule, Code(Lookup::kEmbedding), kTakesSizes},
    {"gather", LookupRule, Code(Lookup::kGather)},
    {"index_select", LookupRule, Code(Lookup::kIndexSelect)},
    {"index _unsafe_index", LookupRule, Code(Lookup::kIndex)},
    {"nonzero argwhere masked_select", NonzeroRule},
    {"scatter", ScatterRule, Code(Scatter::kScatter)},
    {"scatter_add", ScatterRule, Code(Scatter::kScatterAdd)},
    {"setitem", SetItemRule, 0, kTakesSizes},
    {"index_add", ScatterRule, Code(Scatter::kIndexAdd)},
    {"index_copy", ScatterRule, Code(Scatter::kIndexCopy)},
    {"index_put _unsafe_index_put", ScatterRule, Code(Scatter::kIndexPut)},
    // new tensors
    {"zeros", FilledRule, NewTensor{V::kZeros}.Code(), kTakesSizes},
    {"ones", FilledRule, NewTensor{V::kOnes}.Code(), kTakesSizes},
    {"full", FilledRule, NewTensor{V::kGiven}.Code(), kTakesSizes},
    {"empty empty_strided empty_permuted", FilledRule, NewTensor{V::kAny}.Code(), kTakesSizes},
    {"zeros_like", FilledRule, NewTensor{V::kZeros, S::kLike}.Code(), kTakesSizes | kShapeOnly},
    {"ones_like", FilledRule, NewTensor{V::kOnes, S::kLike}.Code(), kTakesSizes | kShapeOnly},
    {"full_like fill", FilledRule, NewTensor{V::kGiven, S::kLike}.Code(), kTakesSizes | kShapeOnly},
    {"empty_like", FilledRule, NewTensor{V::kAny, S::kLike}.Code(), kTakesSizes | kShapeOnly},
    {"new_zeros", FilledRule, NewTensor{V::kZeros, S::kAfterTensor}.Code(),
     kTakesSizes | kShapeOnly},
    {"new_ones", FilledRule, NewTensor{V::kOnes, S::kAfterTensor}.Code(), kTakesSizes | kShapeOnly},
    {"new_full", FilledRule, NewTensor{V::kGiven, S::kAfterTensor}.Code(),
     kTakesSizes | kShapeOnly},
    {"new_empty new_empty_strided", FilledRule, NewTensor{V::kAny, S::kAfterTensor}.Code(),
     kTakesSizes | kShapeOnly},
    {"arange", CreateRule, Code(C::kArange), kTakesSizes},
    {"iota", CreateRule, Code(C::kIota), kTakesSizes},
    {"eye", CreateRule, Code(C::kEye), kTakesSizes},
    {"scalar_tensor tensor as_tensor", CreateRule, Code(C::kScalar), kTakesSizes},
    {"one_hot", CreateRule, Code(C::kOneHot)},
    // normalisation
    {"layer_norm rms_norm", LayerNormRule, 0, kTakesSizes},
    {"native_layer_norm _fused_rms_norm", LayerNormRule, 0, kTuple | kTakesSizes},
    {"batch_norm", ChannelNormRule, Code(ChannelNorm::kBatch)},
    {"native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional "
     "cudnn_batch_norm _batch_norm_with_update",
     ChannelNormRule, Code(ChannelNorm::kBatch), kTuple},
    {"_native_batch_norm_legit_no_training _batch_norm_no_update", ChannelNormRule,
     Code(ChannelNorm::kBatchInference), kTuple},
    {"group_norm", ChannelNormRule, Code(ChannelNorm::kGroup)},
    {"native_group_norm", ChannelNormRule, Code(ChannelNorm::kGroup), kTuple},
    {"instance_norm", ChannelNormRule, Code(ChannelNorm::kInstance)},
    {"normalize", NormalizeRule, 0},
    {"cosine_similarity", NormalizeRule, 1},
    // convolutions and pools
    {"conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d", ConvolutionRule},
    {"convolution _convolution cudnn_convolution mkldnn_convolution", ConvolutionRule, 1},
    {"max_pool1d max_pool2d max_pool3d", PoolRule, Code(Pool::kMax)},
    {"max_pool2d_with_indices max_pool3d_with_indices max_pool1d_with_indices", PoolRule,
     Code(Pool::kMax), kPair},
    {"avg_pool1d avg_pool2d avg_pool3d", PoolRule, Code(Pool::kAverage)},
    {"adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d _adaptive_avg_pool2d "
     "_adaptive_avg_pool3d",
     PoolRule, Code(Pool::kAdaptive)},
    {"adaptive_max_pool1d adaptive_max_pool2d", PoolRule, Code(Pool::kAdaptive), kPair},
    {"upsample_nearest1d upsample_nearest2d upsample_bilinear2d upsample_bicubic2d "
     "upsample_linear1d interpolate _upsample_nearest_exact2d",
     UpsampleRule, 0, kTakesSizes},
    {"pixel_shuffle", ShuffleRule, 0},
    {"pixel_unshuffle", ShuffleRule, 1},
    // attention and losses
    {"scaled_dot_product_attention", AttentionRule, Code(Attention::kPlain)},
    {"_scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention",
     AttentionRule, Code(Attention::kFlash), kTuple},
    {"_scaled_dot_product_efficient_attention", AttentionRule, Code(Attention::kEfficient), kTuple},
    {"_transformer_encoder_layer_fwd", EncoderLayerRule},
    {"multi_head_attention_forward", MultiHeadAttentionRule, 0, kTuple},
    {"cross_entropy cross_entropy_loss", LossRule, Code(Loss::kCrossEntropy)},
    {"nll_loss nll_loss_nd nll_loss2d", LossRule, Code(Loss::kNegativeLikelihood)},
    {"nll_loss_forward nll_loss2d_forward", LossRule, Code(Loss::kNegativeLikelihood), kTuple},
    {"mse_loss l1_loss smooth_l1_loss huber_loss kl_div binary_cross_entropy "
     "binary_cross_entropy_with_logits soft_margin_loss",
     LossRule, Code(Loss::kElementwise)},
    // gradients
    {"_softmax_backward_data", GradientRule, Code(Gradient::kSoftmax)},
    {"_log_softmax_backward_data", GradientRule, Code(Gradient::kLogSoftmax)},
    {"native_layer_norm_backward", GradientRule, Code(Gradient::kLayerNorm)},
    {"embedding_dense_backward", GradientRule, Code(Gradient::kEmbedding)},
    {"select_backward", GradientRule, Code(Gradient::kSelect), kTakesSizes},
    {"slice_backward", GradientRule, Code(Gradient::kSlice), kTakesSizes},
    {"nll_loss_backward nll_loss2d_backward", GradientRule, Code(Gradient::kNegativeLikelihood)},
    {"convolution_backward", GradientRule, Code(Gradient::kConvolution), kTakesSizes},
    {"_scaled_dot_product_flash_attention_for_cpu_backward", GradientRule,
     Code(Gradient::kAttention)},
    // numbers
    {"sym_size size sym_numel numel sym_stride stride sym_storage_offset dim len", SizeRule, 0,
     kTakesSizes | kShapeOnly},
    {"Size", IgnoreRule, 0, kTakesSizes},  // torch.Size: the node itself provides its elements
    {"sym_max sym_min sym_int sym_float sym_not sym_ite sym_sum _sym_sqrt sym_sqrt "
     "_sym_log2",
     SizeRule, 0, kTakesSizes},
    {"sym_constrain_range sym_constrain_range_for_size _assert_async _assert_scalar _assert "
     "_check _check_is_size _assert_tensor_metadata assert_scalar _functional_assert_async "
     "_functional_assert_scalar _set_grad_enabled _log_api_usage_once set_grad_enabled",
     IgnoreRule, 0, kTakesSizes | kShapeOnly},
});

struct Prefix {
  std::string_view text;
  bool is_python = false;
  bool is_functional = false;
};

// If one prefix starts with another, the longer one comes first.
constexpr auto kPrefixes = std::to_array<Prefix>({
    {"torch.ops.aten.", false, false},
    {"torch.ops.prims.", false, false},
    {"aten.", false, false},
    {"aten::", false, false},
    {"prims.", false, false},
    {"inductor_prims.", false, false},
    {"torch.nn.functional.", false, true},
    {"torch._C._nn.", false, false},
    {"torch._C._special.", false, false},
    {"torch._C._linalg.", false, false},
    {"torch._C._fft.", false, false},
    {"torch.functional.", false, false},
    {"torch.special.", false, false},
    {"torch.linalg.", false, false},
    {"torch.Tensor.", false, false},
    {"torch.sym_", false, false},
    {"torch._C.", false, false},
    {"torch.", false, false},
    {"_operator.", true, false},
    {"operator.", true, false},
});

}  // namespace

OperatorName ParseOperatorName(std::string_view target) {
  OperatorName name;
  bool is_aten = false;
  for (const Prefix& prefix : kPrefixes) {
    if (!target.starts_with(prefix.text)) continue;
    name.is_python = prefix.is_python;
    name.is_functional = prefix.is_functional;
    is_aten = prefix.text.ends_with("aten.") || prefix.text.ends_with("prims.");
    // torch.sym_max is sym_max.
    target.remove_prefix(prefix.text == "torch.sym_" ? 6 : prefix.text.size());
    break;
  }
  if (is_aten) target = target.substr(0, target.find('.'));
  const bool is_dunder = target.starts_with("__") && target.ends_with("__");
  if (!is_dunder && target.size() > 1 && target.ends_with('_')) {
    // operator.and_ avoids a keyword, Tensor.add_ writes to its operand.
    target.remove_suffix(1);
    name.is_in_place = !name.is_python;
  }
  constexpr std::array<std::string_view, 12> kInPlace = {
      "setitem", "iadd", "isub", "imul", "itruediv", "ifloordiv",
      "imod",    "iand", "ior",  "ixor", "__iadd__", "__imul__"};
  for (const std::string_view in_place : kInPlace) name.is_in_place |= target == in_place;
  name.base = target;
  return name;
}

const OperatorRule* FindOperator(std::string_view base) {
  static const llvm::StringMap<OperatorRule> rules = [] {
    llvm::StringMap<OperatorRule> by_name;
    for (const TableLine& line : kTable) {
      std::string_view names = line.names;
      while (!names.empty()) {
        const size_t end = std::min(names.find(' '), names.size());
        const std::string_view one = names.substr(0, end);
        by_name[llvm::StringRef(one.data(), one.size())] = {line.apply, line.code, line.flags};
        names.remove_prefix(std::min(end + 1, names.size()));
      }
    }
    return by_name;
  }();
  const auto at = rules.find(llvm::StringRef(base.data(), base.size()));
  return at == rules.end() ? nullptr : &at->second;
}

}  // namespace shapewise
