// numpy and einops. Numpy scalars are treated as arrays.

#include "source/outside_table.h"

namespace shapewise {
namespace {

constexpr OutsideGroup kNumpy[] = {
    {Gives::kNumbers,
     "array asarray asanyarray ascontiguousarray asfortranarray copy fromiter frombuffer "
     "fromstring float16 float32 float64 float_ double half single"},
    {Gives::kIntegers,
     "int8 int16 int32 int64 int_ uint8 uint16 uint32 uint64 intp arange digitize searchsorted "
     "argsort indices tril_indices triu_indices ravel_multi_index"},
    {Gives::kMask, "bool_"},
    {Gives::kTensor,
     "zeros ones empty full eye identity linspace logspace geomspace tri vander loadtxt load "
     "fromfile hamming hanning blackman bartlett kaiser"},
    {Gives::kPrototypeResult, "zeros_like ones_like empty_like full_like"},
    {Gives::kUnknownSize,
     "argwhere flatnonzero bincount setdiff1d intersect1d union1d compress extract trim_zeros"},
    {Gives::kWhere, "nonzero"},
    {Gives::kManyTensors, "meshgrid histogram divmod modf frexp unravel_index"},
    {Gives::kUnique, "unique"},
    {Gives::kWhere, "where"},
    {Gives::kTruthOfData, "array_equal array_equiv allclose"},
    {Gives::kMask,
     "equal not_equal less less_equal greater greater_equal isclose isfinite isinf isnan isneginf "
     "isposinf isreal isin in1d logical_and logical_not logical_or logical_xor signbit"},
    {Gives::kElementwise,
     "abs absolute add bitwise_and bitwise_or bitwise_xor ceil clip copysign diff "
     "fix floor floor_divide fmax fmin fmod gcd lcm invert left_shift right_shift maximum minimum "
     "mod multiply negative nan_to_num positive power remainder rint round round_ around sign "
     "square subtract trunc"},
    {Gives::kRunning, "cumsum cumprod"},
    {Gives::kFloating,
     "angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh cos cosh deg2rad degrees divide "
     "exp exp2 expm1 fabs float_power hypot interp log log10 log1p log2 logaddexp logaddexp2 "
     "rad2deg radians reciprocal sin sinc sinh sqrt cbrt tan tanh true_divide unwrap"},
    {Gives::kView,
     "append atleast_1d atleast_2d atleast_3d broadcast_to column_stack concatenate delete "
     "diag diagonal dstack expand_dims flip fliplr flipud hstack insert kron moveaxis pad ravel "
     "repeat reshape resize roll rollaxis rot90 row_stack squeeze stack swapaxes take "
     "take_along_axis tile transpose tril triu vstack sort choose select"},
    {Gives::kTensors, "split array_split hsplit vsplit dsplit broadcast_arrays"},
    {Gives::kTensor,
     "convolve correlate corrcoef cov cross dot einsum inner matmul outer tensordot vdot "
     "gradient trapz trace apply_along_axis polyfit polyval"},
    {Gives::kReduce,
     "sum mean prod std var amax amin max min median nansum nanmean nanstd nanvar nanmax nanmin "
     "nanmedian ptp average"},
    {Gives::kReduceAfterOne, "quantile percentile nanquantile nanpercentile"},
    {Gives::kReduceMask, "all any"},
    {Gives::kReduceIntegers, "argmax argmin nanargmax nanargmin count_nonzero"},
    {Gives::kFixedInt, "ndim"},
    {Gives::kIntFromSize, "size"},
    {Gives::kShape, "shape broadcast_shapes"},
    {Gives::kSetting, "isscalar issubdtype can_cast iscomplexobj isrealobj"},
    {Gives::kDtype, "dtype result_type promote_types"},
    {Gives::kObject, "finfo iinfo errstate memmap ndenumerate ndindex"},
    {Gives::kText, "array2string array_repr array_str"},
    {Gives::kNone,
     "save savez savetxt copyto put put_along_axis seterr set_printoptions fill_diagonal"},
};

constexpr OutsideGroup kArray[] = {
    {Gives::kItem, "item __int__ __float__ __bool__ __index__"},
    {Gives::kItems, "tolist"},
    {Gives::kText, "tobytes tostring dumps"},
    {Gives::kWhere, "nonzero"},
    {Gives::kReduce, "sum mean prod std var max min ptp"},
    {Gives::kReduceMask, "all any"},
    {Gives::kReduceIntegers, "argmax argmin"},
    {Gives::kTo, "astype view"},
    {Gives::kLike, "copy byteswap newbyteorder conj conjugate"},
    {Gives::kElementwise, "clip round"},
    {Gives::kRunning, "cumsum cumprod"},
    {Gives::kView,
     "flatten ravel reshape repeat squeeze swapaxes take transpose diagonal choose compress "
     "partition"},
    {Gives::kIntegers, "argsort searchsorted argpartition"},
    {Gives::kTensor, "dot trace"},
    {Gives::kNone, "fill sort put resize setflags itemset tofile"},
};

constexpr OutsideGroup kNumpyRandom[] = {
    {Gives::kTensor,
     "rand randn random random_sample uniform normal standard_normal choice permutation beta "
     "binomial exponential gamma geometric gumbel laplace logistic lognormal multinomial "
     "multivariate_normal poisson dirichlet triangular weibull ranf sample"},
    {Gives::kIntegers, "randint random_integers"},
    {Gives::kNone, "seed shuffle set_state"},
    {Gives::kObject, "default_rng RandomState Generator", {}, "numpy.random.Generator"},
    {Gives::kObject, "get_state SeedSequence"},
};

constexpr OutsideGroup kGenerator[] = {
    {Gives::kTensor,
     "random uniform normal standard_normal choice permutation permuted beta binomial exponential "
     "gamma poisson dirichlet"},
    {Gives::kIntegers, "integers randint"},
    {Gives::kNone, "shuffle"},
};

constexpr OutsideGroup kNumpyLinalg[] = {
    {Gives::kTensor, "cholesky inv matrix_power multi_dot pinv solve eigvals eigvalsh"},
    {Gives::kScalar, "det cond matrix_rank"},
    {Gives::kReduceAfterOne, "norm"},
    {Gives::kManyTensors, "eig eigh lstsq qr slogdet svd"},
};

constexpr OutsideGroup kNumpyFft[] = {
    {Gives::kTensor,
     "fft fft2 fftn fftshift ifft ifft2 ifftn ifftshift irfft irfft2 irfftn rfft rfft2 rfftn "
     "fftfreq rfftfreq"},
};

constexpr OutsideGroup kEinops[] = {
    {Gives::kView, "rearrange repeat einsum"},
    {Gives::kTensor, "reduce"},
    {Gives::kManyTensors, "pack unpack"},
};

constexpr OutsideGroup kEinopsLayers[] = {{Gives::kModule, "Rearrange Reduce EinMix"}};

}  // namespace

llvm::ArrayRef<OutsideTable> NumpyTables() {
  static const OutsideTable tables[] = {
      {"numpy.", kNumpy, ValueKind::kArray},
      {"numpy.ndarray.", kArray, ValueKind::kArray},
      {"numpy.random.", kNumpyRandom, ValueKind::kArray},
      {"numpy.random.Generator.", kGenerator, ValueKind::kArray},
      {"numpy.linalg.", kNumpyLinalg, ValueKind::kArray},
      {"numpy.fft.", kNumpyFft, ValueKind::kArray},
      {"einops.", kEinops},
      {"einops.layers.torch.", kEinopsLayers},
  };
  return tables;
}

}  // namespace shapewise
