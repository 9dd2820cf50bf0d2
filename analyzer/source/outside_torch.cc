// Functions of torch and its smaller modules (torch 2.13).

#include "source/outside_table.h"

namespace shapewise {
namespace {

constexpr OutsideGroup kTorch[] = {
    // Reading data into Python.
    {Gives::kTruthOfData, "equal allclose is_nonzero"},
    {Gives::kItem, "sym_int sym_float"},
    // Sizes that depend on data.
    {Gives::kNonzero, "nonzero"},
    {Gives::kUnknownSize, "masked_select argwhere bincount combinations unique_dim"},
    {Gives::kUnique, "unique unique_consecutive"},
    {Gives::kRepeatEach, "repeat_interleave"},
    {Gives::kWhere, "where"},
    // Properties that are known without reading data.
    {Gives::kIntFromSize, "numel"},
    {Gives::kShape, "broadcast_shapes Size"},
    {Gives::kSetting,
     "is_tensor is_storage is_complex is_floating_point is_conj is_neg is_signed is_same_size "
     "is_inference is_distributed is_grad_enabled is_inference_mode_enabled is_autocast_enabled "
     "is_autocast_cpu_enabled is_autocast_cache_enabled "
     "is_deterministic_algorithms_warn_only_enabled "
     "are_deterministic_algorithms_enabled can_cast compiled_with_cxx11_abi is_warn_always_enabled "
     "is_vulkan_available cudnn_is_acceptable set_flush_denormal"},
    {Gives::kFixedInt,
     "get_num_threads get_num_interop_threads initial_seed seed get_deterministic_debug_mode"},
    {Gives::kText, "typename get_float32_matmul_precision"},
    {Gives::kDtype,
     "dtype get_default_dtype result_type "
     "promote_types get_autocast_dtype get_autocast_gpu_dtype get_autocast_cpu_dtype"},
    {Gives::kObject,
     "device layout memory_format get_default_device finfo iinfo Generator Stream Event Storage "
     "UntypedStorage"},
    {Gives::kObject, "no_grad enable_grad set_grad_enabled inference_mode autocast"},
    {Gives::kNone,
     "manual_seed set_default_dtype set_default_device set_default_tensor_type "
     "use_deterministic_algorithms set_num_threads set_num_interop_threads set_printoptions "
     "set_rng_state set_float32_matmul_precision set_warn_always init_num_threads "
     "clear_autocast_cache _check _check_value _check_index _check_type _check_not_implemented "
     "_check_is_size _check_tensor_all _assert _assert_async sym_constrain_range "
     "sym_constrain_range_for_size save set_deterministic_debug_mode"},
    {Gives::kUnknown, "compile load vmap cond while_loop sym_not sym_max sym_min sym_ite"},
    {Gives::kTensor, "get_rng_state"},
    // New tensors.
    {Gives::kNumbers, "tensor as_tensor asarray from_numpy from_dlpack"},
    {Gives::kNumbers, "scalar_tensor", {1 << 0, "s", false}},
    {Gives::kTensor, "frombuffer from_file complex polar Tensor"},
    {Gives::kToFloat, "FloatTensor DoubleTensor HalfTensor BFloat16Tensor"},
    {Gives::kToIntegers, "LongTensor IntTensor ShortTensor CharTensor ByteTensor"},
    {Gives::kToMask, "BoolTensor"},
    {Gives::kTensor, "zeros ones empty rand randn", {kEveryPosition, "size", true}},
    {Gives::kTensor, "empty_strided empty_permuted", {1 << 0 | 1 << 1, "size stride", true}},
    {Gives::kTensor, "full", {1 << 0, "size", true}},
    {Gives::kTensor, "eye vander", {1 << 0 | 1 << 1, "n m N", true}},
    {Gives::kTensor, "linspace logspace", {1 << 2, "steps", true}},
    {Gives::kTensor,
     "bartlett_window blackman_window hamming_window hann_window kaiser_window",
     {1 << 0, "window_length", true}},
    {Gives::kIntegers, "arange range", {kEveryPosition, "start end step", true}},
    {Gives::kIntegers, "randint", {1 << 0 | 1 << 1 | 1 << 2, "low high size", true}},
    {Gives::kIntegers, "randperm", {1 << 0, "n", true}},
    {Gives::kIntegers, "tril_indices triu_indices", {kEveryPosition, "row col offset", true}},
    {Gives::kIntegers, "multinomial", {1 << 1, "num_samples", true}},
    {Gives::kPrototypeResult, "empty_like ones_like rand_like randn_like zeros_like"},
    {Gives::kPrototypeResult, "full_like", {1 << 1, "fill_value", false}},
    {Gives::kPrototypeResult, "randint_like", {1 << 1 | 1 << 2, "low high", false}},
    {Gives::kTensor, "normal bernoulli poisson binomial"},
    // Joined tensors.
    {Gives::kView,
     "cat concat concatenate stack hstack vstack dstack column_stack row_stack block_diag"},
    // Other sizes.
    {Gives::kLike,
     "clone detach conj conj_physical resolve_conj resolve_neg positive flip fliplr flipud "
     "nan_to_num dequantize msort detach_copy alias_copy dropout alpha_dropout feature_dropout "
     "feature_alpha_dropout"},
    {Gives::kLike, "roll", {1 << 1 | 1 << 2, "shifts dims", false}},
    {Gives::kView,
     "adjoint as_strided_scatter atleast_1d atleast_2d atleast_3d cartesian_prod channel_shuffle "
     "diag diag_embed diagflat diagonal diagonal_copy diagonal_scatter diff flatten gather "
     "imag index_select kron moveaxis movedim native_channel_shuffle permute permute_copy ravel "
     "real rot90 select_scatter slice_copy slice_inverse slice_scatter squeeze squeeze_copy "
     "swapaxes swapdims t t_copy take take_along_dim transpose transpose_copy unsqueeze "
     "unsqueeze_copy view_as_complex view_as_complex_copy view_as_real view_as_real_copy "
     "trapezoid trapz cumulative_trapezoid"},
    {Gives::kView,
     "reshape tile view_copy expand_copy broadcast_to",
     {1 << 1, "shape size dims", true}},
    {Gives::kView, "as_strided as_strided_copy", {1 << 1 | 1 << 2 | 1 << 3, "size stride", true}},
    {Gives::kView, "unflatten", {1 << 2, "sizes", true}},
    {Gives::kView, "narrow narrow_copy", {1 << 2 | 1 << 3, "start length", true}},
    {Gives::kView, "unfold_copy", {1 << 2 | 1 << 3, "size step", true}},
    {Gives::kView, "select select_copy", {1 << 2, "index", false}},
    {Gives::kView, "tril triu", {1 << 1, "diagonal", false}},
    {Gives::kView, "constant_pad_nd", {1 << 1, "pad", true}},
    {Gives::kView, "pixel_shuffle pixel_unshuffle", {1 << 1, "upscale_factor", true}},
    {Gives::kTensors,
     "unbind unbind_copy unsafe_chunk unsafe_split unsafe_split_with_sizes split_copy "
     "split_with_sizes_copy"},
    {Gives::kTensors,
     "split chunk tensor_split split_with_sizes hsplit vsplit dsplit",
     {1 << 1, "split_size split_sizes split_size_or_sections chunks", true}},
    {Gives::kManyTensors,
     "meshgrid broadcast_tensors svd qr slogdet lu lu_unpack triangular_solve geqrf frexp "
     "histogram histogramdd std_mean var_mean gradient svd_lowrank pca_lowrank unravel_index lstm "
     "gru rnn_tanh rnn_relu lstm_cell native_layer_norm native_group_norm native_batch_norm "
     "native_dropout max_pool1d_with_indices adaptive_max_pool1d batch_norm_stats "
     "embedding_bag batch_norm_update_stats batch_norm_gather_stats "
     "batch_norm_gather_stats_with_counts batch_norm_backward_reduce"},
    // Elementwise.
    {Gives::kMask,
     "eq ne lt le gt ge not_equal less less_equal greater greater_equal isclose isfinite isinf "
     "isnan isneginf isposinf isreal isin logical_and logical_not logical_or logical_xor signbit"},
    {Gives::kElementwise,
     "abs absolute add addcmul bitwise_and bitwise_left_shift bitwise_not bitwise_or "
     "bitwise_right_shift bitwise_xor ceil clamp clamp_max clamp_min clip copysign floor "
     "floor_divide fmax fmin fmod frac gcd lcm maximum minimum mul multiply neg negative pow "
     "relu remainder round sgn sign sub subtract rsub trunc fix square masked_fill "
     "masked_scatter heaviside nextafter prelu index_add index_copy index_fill index_put "
     "index_reduce put scatter scatter_add scatter_reduce hardshrink threshold "
     "fill",
     {0, "alpha", false}},
    {Gives::kRunning, "cumsum cumprod"},
    {Gives::kFloating,
     "acos acosh addcdiv angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh "
     "atan atan2 atanh celu cos cosh deg2rad digamma div divide erf erfc erfinv exp exp2 expm1 "
     "float_power hypot i0 igamma igammac ldexp lerp lgamma log log10 log1p log2 logaddexp "
     "logaddexp2 logit mvlgamma polygamma rad2deg reciprocal rrelu rsqrt selu sigmoid sin sinc "
     "sinh sqrt tan tanh true_divide xlogy softmax log_softmax logcumsumexp renorm"},
    {Gives::kInPlace,
     "abs_ acos_ acosh_ addmv_ alpha_dropout_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ "
     "as_strided_ asin_ asinh_ atan_ atanh_ ceil_ celu_ clamp_ clamp_max_ clamp_min_ clip_ "
     "conj_physical_ cos_ cosh_ deg2rad_ detach_ dropout_ embedding_renorm_ erf_ erfc_ exp2_ exp_ "
     "expm1_ feature_alpha_dropout_ feature_dropout_ fill_ fix_ floor_ frac_ gcd_ i0_ index_put_ "
     "lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ "
     "relu_ resize_as_ resize_as_sparse_ round_ rrelu_ rsqrt_ selu_ sigmoid_ sin_ sinc_ sinh_ "
     "sqrt_ square_ tan_ tanh_ threshold_ trunc_ xlogy_ zero_"},
    // Products, factorizations, layers.
    {Gives::kTensor,
     "addbmm addmm addmv addr affine_grid_generator baddbmm batch_norm batch_norm_elemt "
     "batch_norm_backward_elemt bilinear bmm cdist "
     "chain_matmul cholesky cholesky_inverse cholesky_solve conv1d conv2d conv3d "
     "conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution corrcoef "
     "cosine_similarity cov cross einsum embedding fake_quantize_per_channel_affine "
     "fake_quantize_per_tensor_affine ger grid_sampler grid_sampler_2d grid_sampler_3d group_norm "
     "gru_cell inner instance_norm inverse istft layer_norm lu_solve matmul matrix_exp "
     "matrix_power mm mv norm_except_dim ormqr orgqr outer pairwise_distance pdist pinverse "
     "quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic rms_norm rnn_relu_cell "
     "rnn_tanh_cell smm spmm sspaddmm stft tensordot avg_pool1d max_pool1d max_pool2d max_pool3d "
     "adaptive_avg_pool1d histc nonzero_static segment_reduce hash_tensor",
     {0, "alpha beta", false}},
    {Gives::kScalar, "dot vdot det dist trace logdet nuclear_norm frobenius_norm"},
    {Gives::kLoss,
     "binary_cross_entropy_with_logits cosine_embedding_loss ctc_loss hinge_embedding_loss kl_div "
     "margin_ranking_loss poisson_nll_loss triplet_margin_loss"},
    // Reductions.
    {Gives::kReduce, "sum mean prod nansum nanmean std var amax amin logsumexp"},
    {Gives::kReduceAfterOne, "norm quantile nanquantile"},
    {Gives::kReduceMask, "all any"},
    {Gives::kReduceIntegers, "argmax argmin count_nonzero"},
    {Gives::kReduceOrPair, "max min median nanmedian"},
    {Gives::kPair, "sort mode cummax cummin aminmax"},
    {Gives::kPair, "topk kthvalue", {1 << 1, "k", true}},
    {Gives::kIntegers, "argsort bucketize searchsorted"},
    // Sparse tensors.
    {Gives::kSparse,
     "sparse_coo_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor "
     "sparse_compressed_tensor hspmm dsmm hsmm saddmm"},
};

constexpr OutsideGroup kTorchLinalg[] = {
    {Gives::kTensor,
     "cholesky cross diagonal householder_product inv lu_solve matmul matrix_exp matrix_power "
     "multi_dot pinv solve solve_triangular tensorinv tensorsolve vander vecdot eigvals eigvalsh "
     "svdvals ldl_solve"},
    {Gives::kScalar, "det cond"},
    {Gives::kReduceAfterOne, "norm vector_norm matrix_norm"},
    {Gives::kIntegers, "matrix_rank"},
    {Gives::kManyTensors,
     "eig eigh lstsq lu lu_factor lu_factor_ex qr slogdet svd cholesky_ex inv_ex ldl_factor "
     "ldl_factor_ex solve_ex"},
};

constexpr OutsideGroup kTorchFft[] = {
    {Gives::kTensor,
     "fft fft2 fftn fftshift hfft hfft2 hfftn ifft ifft2 ifftn ifftshift ihfft ihfft2 ihfftn irfft "
     "irfft2 irfftn rfft rfft2 rfftn",
     {1 << 1, "n s", true}},
    {Gives::kTensor, "fftfreq rfftfreq", {1 << 0, "n", true}},
};

constexpr OutsideGroup kSpecial[] = {
    {Gives::kFloating,
     "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr erf erfc erfcx erfinv exp2 "
     "expit expm1 gammainc gammaincc gammaln i0 i0e i1 i1e log1p log_ndtr log_softmax logit "
     "multigammaln ndtr ndtri polygamma psi sinc softmax xlog1py xlogy zeta"},
    {Gives::kElementwise, "round"},
    {Gives::kReduce, "logsumexp"},
};

constexpr OutsideGroup kDistributed[] = {
    {Gives::kFixedInt,
     "get_rank get_world_size get_node_local_rank get_group_rank get_global_rank"},
    {Gives::kSetting,
     "is_available is_initialized is_nccl_available is_gloo_available is_mpi_available "
     "is_torchelastic_launched"},
    {Gives::kText, "get_backend"},
    {Gives::kObject, "new_group init_process_group P2POp"},
    {Gives::kUnknown,
     "all_reduce all_gather all_gather_into_tensor all_gather_object all_to_all "
     "all_to_all_single barrier batch_isend_irecv broadcast broadcast_object_list "
     "destroy_process_group gather gather_object irecv isend monitored_barrier recv reduce "
     "reduce_scatter reduce_scatter_tensor scatter scatter_object_list send"},
};

constexpr OutsideGroup kCompiler[] = {
    {Gives::kSetting, "is_compiling is_dynamo_compiling is_exporting"},
    {Gives::kFirst, "disable allow_in_graph assume_constant_result keep_tensor_guards_unsafe"},
    {Gives::kUnknown, "compile"},
    {Gives::kObject, "set_stance nested_compile_region"},
    {Gives::kNone, "reset cudagraph_mark_step_begin"},
};

constexpr OutsideGroup kDynamo[] = {
    {Gives::kSetting, "is_compiling is_dynamo_supported"},
    {Gives::kFirst, "disable allow_in_graph assume_constant_result disallow_in_graph"},
    {Gives::kUnknown, "optimize explain export"},
    {Gives::kNone,
     "graph_break mark_dynamic maybe_mark_dynamic mark_static mark_static_address mark_unbacked "
     "reset"},
};

constexpr OutsideGroup kJit[] = {
    {Gives::kSetting, "is_scripting is_tracing"},
    {Gives::kFirst, "ignore unused export script script_if_tracing freeze annotate"},
    {Gives::kUnknown, "trace fork wait load"},
    {Gives::kSetting, "isinstance"},
};

constexpr OutsideGroup kCuda[] = {
    {Gives::kSetting, "is_available is_initialized is_bf16_supported is_current_stream_capturing"},
    {Gives::kFixedInt, "device_count current_device memory_allocated max_memory_allocated"},
    {Gives::kText, "get_device_name"},
    {Gives::kObject, "Event Stream CUDAGraph current_stream default_stream"},
    {Gives::kSequence, "get_device_capability mem_get_info"},
    {Gives::kObject, "stream device graph"},
    {Gives::kNone,
     "synchronize empty_cache manual_seed manual_seed_all set_device reset_peak_memory_stats"},
    {Gives::kTensor, "get_rng_state"},
};

constexpr OutsideGroup kAutograd[] = {
    {Gives::kManyTensors, "grad"},
    {Gives::kNone, "backward"},
    {Gives::kObject, "set_detect_anomaly detect_anomaly"},
};

constexpr OutsideGroup kProfiler[] = {{Gives::kObject, "record_function profile"}};

constexpr OutsideGroup kAutocast[] = {
    {Gives::kObject, "autocast"},
    {Gives::kFirst, "custom_fwd custom_bwd"},
    {Gives::kSetting, "is_autocast_available"},
};

constexpr OutsideGroup kCudaAutocast[] = {
    {Gives::kObject, "autocast"},
    {Gives::kFirst, "custom_fwd custom_bwd"},
};

constexpr OutsideGroup kMasked[] = {
    {Gives::kReduce, "amax amin mean median norm prod std sum var"},
    {Gives::kFloating, "softmax log_softmax softmin normalize logsumexp"},
    {Gives::kObject, "masked_tensor as_masked_tensor MaskedTensor"},
};

constexpr OutsideGroup kAttention[] = {
    {Gives::kObject, "sdpa_kernel"},
};

constexpr OutsideGroup kFlex[] = {
    {Gives::kTensor, "flex_attention"},
    {Gives::kObject, "create_block_mask create_mask BlockMask"},
};

constexpr OutsideGroup kCudnn[] = {
    {Gives::kObject, "flags"},
    {Gives::kSetting, "is_available is_acceptable"},
    {Gives::kFixedInt, "version"},
};

constexpr OutsideGroup kCudaBackend[] = {
    {Gives::kObject, "sdp_kernel"},
    {Gives::kNone, "enable_flash_sdp enable_math_sdp enable_mem_efficient_sdp enable_cudnn_sdp"},
    {Gives::kSetting,
     "is_built flash_sdp_enabled math_sdp_enabled mem_efficient_sdp_enabled "
     "can_use_flash_attention can_use_efficient_attention"},
};

constexpr OutsideGroup kDistributions[] = {
    {Gives::kObject,
     "AffineTransform Bernoulli Beta Binomial Categorical Cauchy Chi2 ContinuousBernoulli "
     "Dirichlet "
     "Distribution Exponential FisherSnedecor Gamma Geometric Gumbel HalfCauchy HalfNormal "
     "Independent Kumaraswamy LKJCholesky Laplace LogNormal LogisticNormal "
     "LowRankMultivariateNormal "
     "MixtureSameFamily Multinomial MultivariateNormal NegativeBinomial Normal OneHotCategorical "
     "OneHotCategoricalStraightThrough Pareto Poisson RelaxedBernoulli RelaxedOneHotCategorical "
     "StudentT TransformedDistribution Uniform VonMises Weibull Wishart",
     {},
     "torch.distributions.Distribution"},
    {Gives::kTensor, "kl_divergence"},
};

constexpr OutsideGroup kDistribution[] = {
    {Gives::kTensor, "sample rsample log_prob entropy cdf icdf perplexity enumerate_support"},
};

constexpr OutsideGroup kVisionOps[] = {
    {Gives::kTensor,
     "box_area box_convert box_iou clip_boxes_to_image complete_box_iou deform_conv2d "
     "distance_box_iou generalized_box_iou ps_roi_align ps_roi_pool roi_align roi_pool "
     "sigmoid_focal_loss stochastic_depth"},
    {Gives::kUnknownSize, "nms batched_nms remove_small_boxes"},
};

constexpr OutsideGroup kNested[] = {
    {Gives::kSparse,
     "nested_tensor as_nested_tensor nested_tensor_from_jagged narrow masked_select"},
    {Gives::kTensor, "to_padded_tensor"},
};

constexpr OutsideGroup kSparse[] = {
    {Gives::kTensor, "mm addmm sampled_addmm softmax log_softmax spdiags"},
    {Gives::kReduce, "sum"},
};

constexpr OutsideGroup kSize[] = {
    {Gives::kIntFromSize, "numel count index"},
};

}  // namespace

llvm::ArrayRef<OutsideTable> TorchTables() {
  static const OutsideTable tables[] = {
      {"torch.", kTorch},
      {"torch.linalg.", kTorchLinalg},
      {"torch.fft.", kTorchFft},
      {"torch.special.", kSpecial},
      {"torch.distributed.", kDistributed},
      {"torch.compiler.", kCompiler},
      {"torch._dynamo.", kDynamo},
      {"torch.jit.", kJit},
      {"torch.cuda.", kCuda},
      {"torch.autograd.", kAutograd},
      {"torch.profiler.", kProfiler},
      {"torch.amp.", kAutocast},
      {"torch.cuda.amp.", kCudaAutocast},
      {"torch.masked.", kMasked},
      {"torch.nn.attention.", kAttention},
      {"torch.nn.attention.flex_attention.", kFlex},
      {"torch.backends.cudnn.", kCudnn},
      {"torch.backends.cuda.", kCudaBackend},
      {"torch.distributions.", kDistributions},
      {"torch.distributions.Distribution.", kDistribution},
      {"torchvision.ops.", kVisionOps},
      {"torch.nested.", kNested},
      {"torch.sparse.", kSparse},
      {"torch.Size.", kSize},
  };
  return tables;
}

}  // namespace shapewise
