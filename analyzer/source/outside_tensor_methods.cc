// Methods of torch.Tensor (torch 2.13).

#include "source/outside_table.h"

namespace shapewise {
namespace {

constexpr OutsideGroup kTensorMethods[] = {
    // Reading data into Python.
    {Gives::kItem, "item __int__ __float__ __bool__ __index__"},
    {Gives::kItems, "tolist"},
    {Gives::kTruthOfData, "equal allclose is_nonzero"},
    {Gives::kToArray, "numpy __array__"},
    // Sizes that depend on data.
    {Gives::kNonzero, "nonzero"},
    {Gives::kUnknownSize, "masked_select argwhere bincount coalesce"},
    {Gives::kUnique, "unique unique_consecutive"},
    {Gives::kRepeatEach, "repeat_interleave"},
    // Properties that are known without reading data.
    {Gives::kShapeOrSize, "size"},
    {Gives::kIntFromSize, "numel nelement __len__"},
    {Gives::kSizes, "stride dim_order"},
    {Gives::kFixedInt,
     "dim ndimension get_device element_size storage_offset data_ptr dense_dim sparse_dim "
     "q_per_channel_axis q_zero_point"},
    {Gives::kFixedFloat, "q_scale"},
    {Gives::kSetting,
     "is_floating_point is_complex is_contiguous is_pinned is_shared is_signed is_same_size "
     "is_set_to is_coalesced is_conj is_neg is_inference is_distributed"},
    {Gives::kDtype, "qscheme"},
    {Gives::kObject,
     "storage untyped_storage storage_type register_hook register_post_accumulate_grad_hook"},
    {Gives::kNone, "backward retain_grad record_stream"},
    // The same tensor, or a copy.
    {Gives::kLike,
     "clone detach contiguous cuda cpu xpu pin_memory conj conj_physical "
     "resolve_conj resolve_neg positive fliplr flipud flip nan_to_num to_dense "
     "to_mkldnn as_subclass share_memory_ dequantize msort"},
    {Gives::kLike, "roll", {1 << 0 | 1 << 1, "shifts", false}},
    {Gives::kInPlace,
     "abs_ absolute_ acos_ acosh_ add_ addbmm_ addcdiv_ addcmul_ addmm_ addmv_ addr_ apply_ "
     "arccos_ arccosh_ arcsin_ arcsinh_ arctan2_ arctan_ arctanh_ asin_ asinh_ atan2_ atan_ "
     "atanh_ baddbmm_ bernoulli_ bitwise_and_ bitwise_left_shift_ bitwise_not_ bitwise_or_ "
     "bitwise_right_shift_ bitwise_xor_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ "
     "conj_physical_ copy_ copysign_ cos_ cosh_ cumprod_ cumsum_ deg2rad_ detach_ digamma_ div_ "
     "divide_ eq_ erf_ erfc_ erfinv_ exp2_ exp_ expm1_ fill_ fill_diagonal_ fix_ "
     "float_power_ floor_ floor_divide_ fmod_ frac_ gcd_ ge_ greater_ greater_equal_ gt_ "
     "heaviside_ hypot_ i0_ igamma_ igammac_ index_add_ index_copy_ index_fill_ index_put_ "
     "index_reduce_ lcm_ ldexp_ le_ lerp_ less_ less_equal_ lgamma_ log10_ log1p_ log2_ log_ "
     "logical_and_ logical_not_ logical_or_ logical_xor_ logit_ lt_ map2_ map_ masked_fill_ "
     "masked_scatter_ mul_ multiply_ mvlgamma_ nan_to_num_ ne_ neg_ negative_ nextafter_ "
     "not_equal_ polygamma_ pow_ put_ rad2deg_ reciprocal_ relu_ remainder_ renorm_ "
     "requires_grad_ resize_as_ round_ rsqrt_ scatter_ scatter_add_ scatter_reduce_ "
     "set_ sgn_ sigmoid_ sign_ sin_ sinc_ sinh_ sqrt_ square_ squeeze_ sub_ subtract_ swapaxes_ "
     "swapdims_ t_ tan_ tanh_ transpose_ true_divide_ trunc_ unsqueeze_ xlogy_ zero_ "
     "module_load sparse_resize_ sparse_resize_and_clear_"},
    {Gives::kInPlace,
     "cauchy_ exponential_ geometric_ log_normal_ normal_ uniform_ random_",
     {1 << 0 | 1 << 1, "from to mean std lambd p median sigma", false}},
    {Gives::kInPlace, "tril_ triu_", {1 << 0, "diagonal", false}},
    {Gives::kInPlace, "resize_ as_strided_", {kEveryPosition, "size", true}},
    // Other dtypes.
    {Gives::kToIntegers, "long int short char byte int_repr"},
    {Gives::kToFloat, "float double half bfloat16 chalf"},
    {Gives::kToMask, "bool"},
    {Gives::kTo, "to type type_as"},
    // Other sizes.
    {Gives::kView,
     "adjoint as_strided_scatter diag diagonal diagonal_scatter diag_embed diagflat diff "
     "expand_as flatten gather index index_select moveaxis movedim permute ravel "
     "reshape_as resize_as resize rot90 select_scatter slice_scatter squeeze sum_to_size "
     "swapaxes swapdims t take take_along_dim transpose unsqueeze view_as "
     "kron slice_inverse"},
    {Gives::kView,
     "view reshape expand repeat tile",
     {kEveryPosition, "size shape dims repeats", true}},
    {Gives::kView, "as_strided", {kEveryPosition, "size stride", true}},
    {Gives::kView, "broadcast_to", {1 << 0, "size", true}},
    {Gives::kView, "unflatten", {1 << 1, "sizes", true}},
    {Gives::kView, "narrow narrow_copy", {1 << 1 | 1 << 2, "start length", true}},
    {Gives::kView, "unfold", {1 << 1 | 1 << 2, "size step", true}},
    {Gives::kView, "select", {1 << 1, "index", false}},
    {Gives::kView, "tril triu", {1 << 0, "diagonal", false}},
    {Gives::kTensors, "unbind unsafe_chunk unsafe_split unsafe_split_with_sizes"},
    {Gives::kTensors,
     "split chunk tensor_split split_with_sizes hsplit vsplit dsplit",
     {1 << 0, "split_size split_sizes split_size_or_sections chunks", true}},
    // New tensors.
    {Gives::kPrototypeResult, "new new_empty_strided new_tensor"},
    {Gives::kPrototypeResult, "new_empty new_ones new_zeros", {kEveryPosition, "size", true}},
    {Gives::kPrototypeResult, "new_full", {1 << 0 | 1 << 1, "size fill_value", true}},
    {Gives::kIntegers, "multinomial", {1 << 0, "num_samples", true}},
    // Elementwise.
    {Gives::kMask,
     "eq ne lt le gt ge not_equal less less_equal greater greater_equal isclose isfinite isinf "
     "isnan isneginf isposinf isreal logical_and logical_not logical_or logical_xor signbit"},
    {Gives::kElementwise,
     "abs absolute add addcmul bitwise_and bitwise_left_shift bitwise_not bitwise_or "
     "bitwise_right_shift bitwise_xor ceil clamp clamp_max clamp_min clip copysign floor "
     "where floor_divide fmax fmin fmod frac gcd lcm maximum minimum mul multiply neg negative pow "
     "relu remainder round sgn sign sub subtract trunc fix square masked_fill masked_scatter "
     "heaviside nextafter prelu index_add index_copy index_fill index_put "
     "index_reduce put scatter scatter_add scatter_reduce hardshrink bernoulli",
     {0, "alpha", false}},
    {Gives::kRunning, "cumsum cumprod"},
    {Gives::kFloating,
     "acos acosh addcdiv angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh "
     "atan atan2 atanh cos cosh deg2rad digamma div divide erf erfc erfinv exp exp2 expm1 "
     "float_power hypot i0 igamma igammac ldexp lerp lgamma log log10 log1p log2 logaddexp "
     "logaddexp2 logit mvlgamma polygamma rad2deg reciprocal rsqrt sigmoid sin sinc sinh sqrt tan "
     "tanh true_divide xlogy softmax log_softmax logcumsumexp renorm"},
    // Products and factorizations.
    {Gives::kTensor,
     "addbmm addmm addmv addr baddbmm bmm cholesky cholesky_inverse cholesky_solve corrcoef cov "
     "cross ger inner inverse istft lu_solve matmul matrix_exp matrix_power mm mv ormqr orgqr "
     "outer pinverse smm sspaddmm stft histc nonzero_static",
     {0, "alpha beta", false}},
    {Gives::kScalar, "dot vdot det dist trace logdet"},
    {Gives::kManyTensors,
     "svd qr slogdet lu triangular_solve geqrf frexp histogram eig symeig lstsq solve"},
    // Reductions.
    {Gives::kReduce, "sum mean prod nansum nanmean std var amax amin logsumexp"},
    {Gives::kReduceAfterOne, "norm quantile nanquantile"},
    {Gives::kReduceMask, "all any"},
    {Gives::kReduceIntegers, "argmax argmin count_nonzero"},
    {Gives::kReduceOrPair, "max min median nanmedian"},
    {Gives::kPair, "sort mode cummax cummin aminmax"},
    {Gives::kPair, "topk kthvalue", {1 << 0, "k", true}},
    {Gives::kIntegers, "argsort"},
    // Sparse and nested tensors.
    {Gives::kSparse,
     "to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr sparse_mask"},
    {Gives::kTensor,
     "to_padded_tensor values indices crow_indices col_indices ccol_indices row_indices "
     "q_per_channel_scales q_per_channel_zero_points"},
};

}  // namespace

llvm::ArrayRef<OutsideTable> TensorMethodTables() {
  static const OutsideTable tables[] = {{"torch.Tensor.", kTensorMethods}};
  return tables;
}

}  // namespace shapewise
