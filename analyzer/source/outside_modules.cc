// torch.nn: functions, classes, the results of calling their objects, methods of modules.

#include "source/outside_table.h"

namespace shapewise {
namespace {

constexpr OutsideGroup kFunctional[] = {
    {Gives::kOneHot, "one_hot", {1 << 1, "num_classes", true}},
    {Gives::kTensor,
     "affine_grid batch_norm bilinear channel_shuffle conv1d conv2d conv3d conv_tbc "
     "conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity embedding "
     "embedding_bag grid_sample group_norm grouped_mm instance_norm linear local_response_norm "
     "lp_pool1d lp_pool2d lp_pool3d max_unpool1d max_unpool2d max_unpool3d "
     "native_channel_shuffle pairwise_distance pdist rms_norm scaled_grouped_mm scaled_mm "
     "max_pool1d max_pool2d max_pool3d avg_pool1d avg_pool2d avg_pool3d fractional_max_pool2d "
     "fractional_max_pool3d"},
    {Gives::kTensor, "layer_norm", {1 << 1, "normalized_shape", false}},
    {Gives::kTensor, "scaled_dot_product_attention", {0, "dropout_p scale", false}},
    {Gives::kTensor,
     "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
     "adaptive_max_pool2d adaptive_max_pool3d",
     {1 << 1, "output_size", true}},
    {Gives::kTensor,
     "interpolate upsample upsample_bilinear upsample_nearest",
     {1 << 1 | 1 << 2, "size scale_factor", true}},
    {Gives::kTensor, "fold unfold", {1 << 1 | 1 << 2, "output_size kernel_size", true}},
    {Gives::kView, "pad", {1 << 1, "pad", true}},
    {Gives::kView,
     "pixel_shuffle pixel_unshuffle",
     {1 << 1, "upscale_factor downscale_factor", true}},
    {Gives::kManyTensors,
     "adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices "
     "adaptive_max_pool3d_with_indices fractional_max_pool2d_with_indices "
     "fractional_max_pool3d_with_indices max_pool1d_with_indices max_pool2d_with_indices "
     "max_pool3d_with_indices multi_head_attention_forward"},
    {Gives::kLike,
     "alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout",
     {1 << 1, "p", false}},
    {Gives::kFloating,
     "gelu glu gumbel_softmax hardshrink hardsigmoid hardswish log_softmax logsigmoid mish "
     "normalize prelu relu6 "
     "rrelu selu sigmoid silu softmax softmin softplus softshrink softsign tanh tanhshrink"},
    {Gives::kFloating,
     "celu elu hardtanh leaky_relu threshold",
     {1 << 1 | 1 << 2, "alpha negative_slope min_val max_val threshold value", false}},
    {Gives::kElementwise, "relu"},
    {Gives::kInPlace, "celu_ elu_ hardtanh_ leaky_relu_ relu_ rrelu_ selu_ threshold_"},
    {Gives::kLoss,
     "binary_cross_entropy binary_cross_entropy_with_logits cosine_embedding_loss cross_entropy "
     "ctc_loss gaussian_nll_loss hinge_embedding_loss huber_loss kl_div l1_loss "
     "linear_cross_entropy margin_ranking_loss mse_loss multi_margin_loss "
     "multilabel_margin_loss multilabel_soft_margin_loss nll_loss poisson_nll_loss "
     "smooth_l1_loss soft_margin_loss triplet_margin_loss triplet_margin_with_distance_loss",
     {0, "label_smoothing beta delta", false}},
    {Gives::kSetting, "has_torch_function"},
};

constexpr OutsideGroup kClasses[] = {
    {Gives::kModule,
     "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
     "AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BatchNorm1d BatchNorm2d "
     "BatchNorm3d Bilinear CELU ChannelShuffle CircularPad1d CircularPad2d CircularPad3d "
     "ConstantPad1d ConstantPad2d ConstantPad3d Conv1d Conv2d Conv3d ConvTranspose1d "
     "ConvTranspose2d ConvTranspose3d CosineSimilarity CrossMapLRN2d Dropout Dropout1d Dropout2d "
     "Dropout3d ELU Embedding EmbeddingBag FeatureAlphaDropout Flatten Fold FractionalMaxPool2d "
     "FractionalMaxPool3d GELU GLU GRUCell GroupNorm Hardshrink Hardsigmoid Hardswish Hardtanh "
     "Identity InstanceNorm1d InstanceNorm2d InstanceNorm3d LPPool1d LPPool2d LPPool3d LayerNorm "
     "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d "
     "LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d "
     "LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear LeakyReLU Linear LocalResponseNorm "
     "LogSigmoid LogSoftmax MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish "
     "PReLU PairwiseDistance PixelShuffle PixelUnshuffle RMSNorm RNNCell RNNCellBase RReLU ReLU "
     "ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d "
     "ReplicationPad3d SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign "
     "SyncBatchNorm Tanh Tanhshrink Threshold Transformer TransformerDecoder "
     "TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer Unflatten Unfold "
     "Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d"},
    {Gives::kModuleOfLoss,
     "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss "
     "HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss LinearCrossEntropyLoss MSELoss "
     "MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss "
     "NLLLoss2d PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss "
     "TripletMarginWithDistanceLoss"},
    {Gives::kModuleOfPair,
     "AdaptiveLogSoftmaxWithLoss GRU LSTM LSTMCell MultiheadAttention RNN RNNBase"},
    {Gives::kModuleList, "Module ModuleDict ModuleList ParameterDict ParameterList Container"},
    {Gives::kModuleList, "Sequential DataParallel"},
    {Gives::kParameter, "Parameter Buffer UninitializedParameter UninitializedBuffer"},
};

constexpr OutsideGroup kRecurrent[] = {
    {Gives::kTensor, "pad_sequence"},
    {Gives::kManyTensors, "pad_packed_sequence unpad_sequence unpack_sequence"},
    {Gives::kObject, "pack_padded_sequence pack_sequence PackedSequence"},
};

constexpr OutsideGroup kUtils[] = {
    {Gives::kScalar, "clip_grad_norm_ clip_grad_norm get_total_norm"},
    {Gives::kNone, "clip_grad_value_ vector_to_parameters"},
    {Gives::kTensor, "parameters_to_vector"},
    {Gives::kFirst,
     "weight_norm remove_weight_norm spectral_norm remove_spectral_norm skip_init "
     "fuse_conv_bn_eval"},
};

constexpr OutsideGroup kInit[] = {
    {Gives::kFirst,
     "constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ sparse_ "
     "trunc_normal_ uniform_ xavier_normal_ xavier_uniform_ zeros_"},
    {Gives::kFixedFloat, "calculate_gain"},
    {Gives::kSequence, "_calculate_fan_in_and_fan_out"},
};

constexpr OutsideGroup kCheckpoint[] = {{Gives::kUnknown, "checkpoint checkpoint_sequential"}};

constexpr OutsideGroup kOnnx[] = {{Gives::kSetting, "is_in_onnx_export"}};

constexpr OutsideGroup kModuleMethods[] = {
    {Gives::kFirst,
     "to cuda cpu xpu half float double bfloat16 train eval requires_grad_ apply type to_empty "
     "share_memory compile"},
    {Gives::kNone,
     "register_buffer register_parameter register_module add_module zero_grad load_state_dict "
     "set_extra_state set_submodule"},
    {Gives::kObject,
     "register_forward_hook register_forward_pre_hook register_full_backward_hook "
     "register_full_backward_pre_hook register_backward_hook register_state_dict_pre_hook "
     "register_state_dict_post_hook register_load_state_dict_pre_hook "
     "register_load_state_dict_post_hook"},
    {Gives::kSequence,
     "buffers named_buffers children named_children modules named_modules named_parameters"},
    {Gives::kTensors, "parameters"},
    {Gives::kMapping, "state_dict"},
    {Gives::kParameter, "get_parameter get_buffer"},
    {Gives::kUnknown, "get_submodule get_extra_state"},
    {Gives::kText, "extra_repr"},
};

}  // namespace

llvm::ArrayRef<OutsideTable> ModuleTables() {
  static const OutsideTable tables[] = {
      {"torch.nn.functional.", kFunctional},
      {"torch.nn.", kClasses},
      {"torch.nn.utils.rnn.", kRecurrent},
      {"torch.nn.utils.", kUtils},
      {"torch.nn.init.", kInit},
      {"torch.utils.checkpoint.", kCheckpoint},
      {"torch.nn.Module.", kModuleMethods},
      {"torch.onnx.", kOnnx},
  };
  return tables;
}

}  // namespace shapewise
