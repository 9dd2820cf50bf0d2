// The rules for the classes of operators. Each computes the shapes of the results and the effect of
// padded operands on them. A rule without the information it needs returns no result.

#ifndef SHAPEWISE_SHAPES_RULES_H_
#define SHAPEWISE_SHAPES_RULES_H_

#include "shapes/node_context.h"

namespace shapewise {

// rules_pointwise.cc
void PointwiseRule(NodeContext& context);  ///< code: Pointwise
void DropoutRule(NodeContext& context);
void RandomRule(NodeContext& context);  ///< random numbers in the shape of its result

// rules_reduce.cc
void ReduceRule(NodeContext& context);   ///< code: Reduction
void SoftmaxRule(NodeContext& context);  ///< code: Softmax
void ScanRule(NodeContext& context);     ///< code: Scan
void OrderRule(NodeContext& context);    ///< code: Order
void VarianceMeanRule(NodeContext& context);
void GluRule(NodeContext& context);
void DiffRule(NodeContext& context);
void PairDistanceRule(NodeContext& context);
void FourierRule(NodeContext& context);
enum class Softmax : uint8_t { kPlain, kLog, kSafe };
enum class Order : uint8_t { kSort, kArgSort, kTopK, kMedian, kKthValue };

// rules_contract.cc
void ContractRule(NodeContext& context);  ///< code: Contraction
enum class Contraction : uint8_t {
  kMatmul,
  kLinear,
  kAddmm,  ///< bias, left, right
  kOuter,
  kEinsum,
};

// rules_view.cc
void ViewRule(NodeContext& context);     ///< code: View
void PermuteRule(NodeContext& context);  ///< code: Permutation
void ExpandRule(NodeContext& context);   ///< code: Expansion
void FlipRule(NodeContext& context);
void AttributeRule(NodeContext& context);
enum class View : uint8_t { kView, kViewAs, kFlatten, kUnflatten, kSqueeze, kUnsqueeze, kRavel };
enum class Permutation : uint8_t { kPermute, kTranspose, kReverse, kMatrix, kMove };
enum class Expansion : uint8_t { kExpand, kExpandAs, kRepeat, kRepeatInterleave };

// rules_index.cc
void SetItemRule(NodeContext& context);
void SelectRule(NodeContext& context);
void SliceRule(NodeContext& context);  ///< code: 1 if given as start and length
void GetItemRule(NodeContext& context);
void LookupRule(NodeContext& context);  ///< code: Lookup
void NonzeroRule(NodeContext& context);
void UnfoldRule(NodeContext& context);
enum class Lookup : uint8_t { kEmbedding, kGather, kIndexSelect, kIndex };

// rules_split.cc
void SplitRule(NodeContext& context);  ///< code: Division
enum class Division : uint8_t { kSplit, kChunk, kTensorSplit, kUnbind };

// rules_join.cc
void CatRule(NodeContext& context);
void StackRule(NodeContext& context);
void BroadcastTensorsRule(NodeContext& context);
void PadRule(NodeContext& context);
void TriangleRule(NodeContext& context);  ///< code: 1 for the upper one
void ScatterRule(NodeContext& context);   ///< code: Scatter
enum class Scatter : uint8_t { kScatter, kScatterAdd, kIndexAdd, kIndexPut, kIndexCopy };

// rules_create.cc
void FilledRule(NodeContext& context);  ///< code: NewTensor
void CreateRule(NodeContext& context);  ///< code: Creation
void SizeRule(NodeContext& context);    ///< numbers, and functions of numbers
void IgnoreRule(NodeContext& context);  ///< assertions and the like: no relevant result
/// A tensor of one number, or of any: zeros, full_like, new_empty ...
struct NewTensor {
  enum class Values : uint8_t { kZeros, kOnes, kGiven, kAny };
  enum class Sizes : uint8_t {
    kGiven,
    kLike,         ///< those of an operand
    kAfterTensor,  ///< given, after an operand that determines the dtype
  };
  Values values;
  Sizes sizes = Sizes::kGiven;

  constexpr uint8_t Code() const {
    return static_cast<uint8_t>(static_cast<int>(values) * 3 + static_cast<int>(sizes));
  }
  static constexpr NewTensor OfCode(uint8_t code) {
    return {static_cast<Values>(code / 3), static_cast<Sizes>(code % 3)};
  }
};
enum class Creation : uint8_t {
  kArange,
  kIota,
  kEye,
  kScalar,
  kOneHot,
};

// rules_layers.cc
void CellRule(NodeContext& context);       ///< one step of a recurrent network; a pair for LSTMs
void RecurrentRule(NodeContext& context);  ///< all steps; code: how many hidden states
void BagRule(NodeContext& context);        ///< sums or means of rows of a table
void LayerNormRule(NodeContext& context);
void ChannelNormRule(NodeContext& context);  ///< code: ChannelNorm
void NormalizeRule(NodeContext& context);    ///< code: 1 for the similarity of two tensors
enum class ChannelNorm : uint8_t { kBatch, kBatchInference, kGroup, kInstance };

// rules_convolution.cc
void ConvolutionRule(NodeContext& context);  ///< code: 1 for the general form of ATen
void PoolRule(NodeContext& context);         ///< code: Pool
void UpsampleRule(NodeContext& context);
void ShuffleRule(NodeContext& context);  ///< code: 1 for channels from pixels
enum class Pool : uint8_t { kMax, kAverage, kAdaptive };

// rules_attention.cc
void AttentionRule(NodeContext& context);  ///< code: Attention
void MultiHeadAttentionRule(NodeContext& context);
void EncoderLayerRule(NodeContext& context);
enum class Attention : uint8_t { kPlain, kFlash, kEfficient };

// rules_loss.cc
void LossRule(NodeContext& context);  ///< code: Loss
enum class Loss : uint8_t { kCrossEntropy, kNegativeLikelihood, kElementwise };

// rules_backward.cc
void GradientRule(NodeContext& context);  ///< code: Gradient
enum class Gradient : uint8_t {
  kSoftmax,
  kLogSoftmax,
  kLayerNorm,
  kEmbedding,
  kSelect,
  kSlice,
  kNegativeLikelihood,
  kConvolution,
  kAttention,
};

}  // namespace shapewise

#endif  // SHAPEWISE_SHAPES_RULES_H_
