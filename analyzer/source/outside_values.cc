// Values that are not the result of a call: attributes, constants, annotations, names of
// parameters.

#include <algorithm>
#include <iterator>
#include <string_view>

#include "source/outside.h"
#include "source/outside_effect.h"
#include "source/word_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr int kConstant = Bit(Trait::kConstant);

/// Kinds implied by the names of settings and of parameters without annotation, for any object.
ValueKind KindBySettingName(std::string_view name) {
  if (HasWord<"training train inplace causal is_causal deterministic debug verbose bidirectional "
              "strict reverse downsample interpolate_pos_encoding">(name))
    return ValueKind::kBool;
  if (name == "output_hidden_states" ||
      HasBeginning<"use_ return_ do_ has_ should_ enable_ tie_ need_ needs_">(name)) {
    return ValueKind::kBool;
  }
  if (HasBeginning<"is_ output_ with_ add_ apply_">(name) &&
      !HasEnding<"_size _dim _channels _mask _ids _states _embeds _idx _values _features _logits "
                 "_tensor _weights _embeddings _bias _shape _dimensions">(name)) {
    return ValueKind::kBool;
  }
  if (HasEnding<"_only _enabled _first">(name)) return ValueKind::kBool;
  if (HasWord<"mode name reduction data_format prefix activation padding_mode interpolation_mode">(
          name) ||
      HasEnding<
          "_mode _type _implementation _name _path _act _activation _method _strategy _backend">(
          name)) {
    return ValueKind::kText;
  }
  if (HasWord<
          "dim axis step steps epoch rank world_size height width num_heads chunk_size kernel_size "
          "stride groups dilation n k seq_len seqlen bsz batch_size seq_length layer_idx layer_id "
          "i j iteration hidden_size vocab_size top_k depth channels seed logits_to_keep">(name) ||
      HasBeginning<"num_ n_ max_ min_num_">(name) ||
      HasEnding<"_size _dim _dims _channels _heads _layers _length _len _index _idx _groups _step "
                "_steps _token_id _stride _window _rank _blocks _experts _top_k _per_tok">(name)) {
    return ValueKind::kInt;
  }
  if (HasWord<
          "eps epsilon dropout p temperature alpha lr learning_rate momentum scaling margin top_p "
          "guidance_scale">(name) ||
      HasEnding<"_eps _epsilon _dropout _prob _rate _theta _factor _std _coef _ratio _temperature "
                "_momentum _lambda _scaling">(name)) {
    return ValueKind::kFloat;
  }
  return ValueKind::kUnknown;
}

Value TensorAttribute(const Value& tensor, std::string_view name) {
  const uint8_t sure = tensor.certainty;
  if (name == "shape") return MakeValue(ValueKind::kShape, Bit(Trait::kFromSize), sure);
  if (name == "dtype") {
    return MakeValue(ValueKind::kOutside, kConstant | (tensor.traits & kDtypeTraits), sure);
  }
  if (HasWord<"device layout">(name)) return MakeValue(ValueKind::kObject, kConstant, sure);
  if (HasWord<"ndim itemsize output_nr">(name)) return MakeValue(ValueKind::kInt, kConstant, sure);
  if (HasWord<"nbytes">(name)) return MakeValue(ValueKind::kInt, Bit(Trait::kFromSize), sure);
  if (name == "_version") return MakeValue(ValueKind::kInt, 0, sure);
  if (name == "requires_grad" || name == "retains_grad" || name == "names" ||
      (name.starts_with("is_") && FindOutside("torch.Tensor.", name).group == nullptr)) {
    return MakeValue(ValueKind::kBool, kConstant, sure);
  }
  if (HasWord<"T mT H mH data real imag">(name)) {
    Value same = tensor;
    const int of_the_input = Bit(Trait::kArgument) | Bit(Trait::kStored) | Bit(Trait::kOptional);
    same.traits = static_cast<uint16_t>((same.traits & ~of_the_input) | Bit(Trait::kMade));
    return same;
  }
  if (HasWord<"grad _base">(name)) {
    return MakeValue(ValueKind::kTensor, Bit(Trait::kOptional), sure);
  }
  if (name == "grad_fn") {
    return MakeValue(ValueKind::kObject, Bit(Trait::kOptional), sure);
  }
  return {};
}

Value ArrayAttribute(const Value& array, std::string_view name) {
  const uint8_t sure = array.certainty;
  if (name == "shape") return MakeValue(ValueKind::kShape, Bit(Trait::kFromSize), sure);
  if (HasWord<"size nbytes">(name)) {
    return MakeValue(ValueKind::kInt, Bit(Trait::kFromSize), sure);
  }
  if (HasWord<"ndim itemsize">(name)) return MakeValue(ValueKind::kInt, kConstant, sure);
  if (name == "dtype") {
    return MakeValue(ValueKind::kOutside, kConstant | (array.traits & kDtypeTraits), sure);
  }
  if (HasWord<"T real imag flat">(name)) return array;
  if (HasWord<"strides">(name)) return MakeValue(ValueKind::kSequence, Bit(Trait::kFromSize), sure);
  return {};
}

Value ModuleAttribute(std::string_view name) {
  if (name == "training") return MakeValue(ValueKind::kBool, kConstant);
  if (name == "weight") return MakeValue(ValueKind::kTensor, Bit(Trait::kStored), 90);
  if (name == "bias") {
    return MakeValue(ValueKind::kTensor, Bit(Trait::kStored) | Bit(Trait::kOptional), 90);
  }
  if (HasWord<"running_mean running_var num_batches_tracked weight_g weight_v in_proj_weight "
              "in_proj_bias">(name)) {
    return MakeValue(ValueKind::kTensor, Bit(Trait::kStored), 90);
  }
  if (HasWord<"config generation_config">(name)) {
    return MakeValue(ValueKind::kObject, kConstant | Bit(Trait::kConfig));
  }
  if (name == "device") return MakeValue(ValueKind::kObject, kConstant, 90);
  if (name == "dtype") return MakeValue(ValueKind::kOutside, kConstant, 90);
  if (HasWord<"in_features out_features embedding_dim num_embeddings in_channels out_channels "
              "normalized_shape embed_dim head_dim">(name)) {
    return MakeValue(ValueKind::kInt, kConstant, 90);
  }
  const ValueKind kind = KindBySettingName(name);
  return kind == ValueKind::kUnknown ? Value() : MakeValue(kind, kConstant, 80);
}

/// Fields of the tuples that torch returns: max(dim).values, svd().S.
constexpr WordText kFields =
    "values indices eigenvalues eigenvectors Q R U S V Vh L P LU pivots solution residuals sign "
    "logabsdet mantissa exponent hist bin_edges counts inverse_indices last_hidden_state logits "
    "min max";

constexpr WordText kFloatTypes =
    "float16 float32 float64 bfloat16 half float double complex64 complex128 cfloat cdouble "
    "float8_e4m3fn float8_e5m2";
constexpr WordText kIntegerTypes =
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 int long short int_ intp";
constexpr WordText kFloatTensors = "FloatTensor DoubleTensor HalfTensor BFloat16Tensor Tensor";
constexpr WordText kIntegerTensors = "LongTensor IntTensor ShortTensor CharTensor ByteTensor";

}  // namespace

Value AttributeOf(const Value& subject, std::string_view name) {
  switch (subject.kind) {
    case ValueKind::kTensor:
      return TensorAttribute(subject, name);
    case ValueKind::kArray:
      return ArrayAttribute(subject, name);
    case ValueKind::kModule:
      return ModuleAttribute(name);
    case ValueKind::kSequence:
      if (HasWord<kFields>(name)) {
        return MakeValue(ValueKind::kTensor, Bit(Trait::kMade),
                         std::min<uint8_t>(90, subject.certainty));
      }
      return {};
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kFloat:
      if (HasWord<"real imag numerator denominator">(name)) return subject;
      return {};
    case ValueKind::kObject:
    case ValueKind::kMapping:
      if (subject.Has(Trait::kConfig)) {
        const ValueKind kind = KindBySettingName(name);
        const bool is_part = name.ends_with("config");
        return MakeValue(is_part ? ValueKind::kObject : kind, kConstant | Bit(Trait::kConfig),
                         kind == ValueKind::kUnknown ? 100 : 80);
      }
      return {};
    case ValueKind::kOutside:
      // torch.float32.is_floating_point, torch.finfo(...).min.
      if (HasWord<"is_floating_point is_complex is_signed">(name)) {
        return MakeValue(ValueKind::kBool, kConstant);
      }
      return {};
    default:
      return {};
  }
}

Value ValueOfName(std::string_view dotted) {
  const std::string_view name = LastName(dotted);
  const std::string_view package = dotted.substr(0, dotted.size() - name.size());
  const bool is_torch = package == "torch.";
  const bool is_numpy = package == "numpy.";
  if ((package == "math." || is_torch || is_numpy) && HasWord<"pi e inf nan tau newaxis">(name)) {
    return name == "newaxis" ? MakeValue(ValueKind::kNone)
                             : MakeValue(ValueKind::kFloat, kConstant);
  }
  const bool is_builtin = package == "builtins.";
  if (is_torch &&
      HasWord<"contiguous_format legacy_contiguous_format preserve_format channels_last "
              "channels_last_3d strided sparse_coo sparse_csr jagged">(name)) {
    return MakeValue(ValueKind::kObject, kConstant);
  }
  if (is_torch || is_numpy || is_builtin) {
    int traits = 0;
    if (HasWord<"bool bool_ BoolTensor">(name)) {
      traits = Bit(Trait::kMask) | kConstant;
    } else if (HasWord<kIntegerTypes>(name) || HasWord<kIntegerTensors>(name)) {
      traits = Bit(Trait::kIntegers) | kConstant;
    } else if (HasWord<kFloatTypes>(name)) {
      traits = kConstant;
    }
    return MakeValue(ValueKind::kOutside, traits);
  }
  if (HasWord<"torch.finfo. torch.iinfo. numpy.finfo. numpy.iinfo.">(package)) {
    return MakeValue(ValueKind::kFloat, kConstant);
  }
  if (dotted == "sys.maxsize") return MakeValue(ValueKind::kInt, kConstant);
  if (HasWord<"sys.platform sys.version os.sep torch.__version__ numpy.__version__ "
              "torch.version.cuda torch.version.hip">(dotted)) {
    return MakeValue(ValueKind::kText, kConstant);
  }
  if (HasWord<"os.environ sys.modules">(dotted)) return MakeValue(ValueKind::kMapping, kConstant);
  const bool is_switch = name != "flags" && name != "set_flags";
  if ((package == "torch.backends.cudnn." && is_switch) ||
      package == "torch.backends.cuda.matmul." || dotted == "typing.TYPE_CHECKING") {
    return MakeValue(ValueKind::kBool, kConstant);
  }
  return MakeValue(ValueKind::kOutside);
}

Value ValueOfType(std::string_view dotted) {
  const std::string_view name = LastName(dotted);
  const std::string_view package = dotted.substr(0, dotted.size() - name.size());
  const bool is_torch = package == "torch." || package == "torch.cuda." || package.empty();
  if (is_torch) {
    if (name == "BoolTensor") return MakeValue(ValueKind::kTensor, Bit(Trait::kMask));
    if (HasWord<kIntegerTensors>(name)) return MakeValue(ValueKind::kTensor, Bit(Trait::kIntegers));
    if (HasWord<kFloatTensors>(name)) return MakeValue(ValueKind::kTensor);
    if (name == "Size") return MakeValue(ValueKind::kShape);
    if (name == "dtype") return MakeValue(ValueKind::kOutside, kConstant);
    if (HasWord<"device Generator layout Stream">(name) && !package.empty()) {
      return MakeValue(ValueKind::kObject, name == "Generator" ? 0 : kConstant);
    }
  }
  if (HasWord<"torch.nn.Parameter torch.nn.parameter.Parameter torch.nn.Buffer nn.Parameter">(
          dotted)) {
    return MakeValue(ValueKind::kTensor, Bit(Trait::kStored));
  }
  if (HasWord<"torch._tensor.Tensor torch.autograd.Variable torch.tensor">(dotted)) {
    return MakeValue(ValueKind::kTensor);
  }
  // jaxtyping.Float[Tensor, "b n"]; the flow passes the name without its brackets.
  if (package == "jaxtyping." || package == "torchtyping.") {
    if (HasWord<"Bool">(name)) return MakeValue(ValueKind::kTensor, Bit(Trait::kMask));
    if (HasWord<"Int Int64 Int32 Integer UInt8">(name)) {
      return MakeValue(ValueKind::kTensor, Bit(Trait::kIntegers));
    }
    return MakeValue(ValueKind::kTensor);
  }
  if (package == "numpy." || package == "numpy.typing." || package == "np.") {
    if (HasWord<"ndarray NDArray ArrayLike">(name)) return MakeValue(ValueKind::kArray);
    if (HasWord<kIntegerTypes>(name)) return MakeValue(ValueKind::kArray, Bit(Trait::kIntegers));
    if (HasWord<kFloatTypes>(name)) return MakeValue(ValueKind::kArray);
    if (HasWord<"bool_ bool">(name)) return MakeValue(ValueKind::kArray, Bit(Trait::kMask));
  }
  if (package.empty() || package == "builtins.") {
    if (name == "int") return MakeValue(ValueKind::kInt);
    if (name == "float") return MakeValue(ValueKind::kFloat);
    if (name == "bool") return MakeValue(ValueKind::kBool);
    if (HasWord<"str bytes">(name)) return MakeValue(ValueKind::kText);
    if (name == "None") return MakeValue(ValueKind::kNone);
    if (HasWord<"list tuple set frozenset range">(name)) return MakeValue(ValueKind::kSequence);
    if (name == "dict") return MakeValue(ValueKind::kMapping);
    if (name == "type") return MakeValue(ValueKind::kOutside);
  }
  if (package == "typing." || package == "collections.abc." || package == "collections." ||
      package == "typing_extensions.") {
    if (HasWord<
            "List Tuple Set FrozenSet Sequence Iterable Iterator Collection deque Deque Generator "
            "MutableSequence Container">(name)) {
      return MakeValue(ValueKind::kSequence);
    }
    if (HasWord<"Dict Mapping MutableMapping OrderedDict DefaultDict defaultdict">(name)) {
      return MakeValue(ValueKind::kMapping);
    }
    if (name == "Text" || name == "LiteralString") return MakeValue(ValueKind::kText);
    if (HasWord<"Callable Awaitable Type">(name)) return MakeValue(ValueKind::kObject);
    return {};
  }
  if (HasWord<"pathlib.Path os.PathLike">(dotted)) return MakeValue(ValueKind::kObject);
  if (package == "torch.nn." || package.starts_with("torch.nn.modules.")) {
    return MakeValue(ValueKind::kModule);
  }
  if (name.ends_with("Config")) {
    return MakeValue(ValueKind::kObject, kConstant | Bit(Trait::kConfig));
  }
  if (name.ends_with("Cache")) return MakeValue(ValueKind::kObject);
  if (!package.empty() && HasEnding<"Module Model Layer Block PreTrainedModel">(name)) {
    return MakeValue(ValueKind::kModule, 0, 90);
  }
  return {};
}

Value GuessByName(std::string_view name) {
  const ValueKind kind = KindBySettingName(name);
  if (kind == ValueKind::kBool) return MakeValue(kind, 0, 80);
  if (HasWord<"config cfg args hparams hyperparameters opt options">(name) ||
      HasEnding<"_config _cfg _args">(name)) {
    return MakeValue(ValueKind::kObject, kConstant | Bit(Trait::kConfig), 80);
  }
  if (name == "kwargs" || HasEnding<"_kwargs _dict">(name)) {
    return MakeValue(ValueKind::kMapping, 0, 80);
  }
  if (HasWord<"cache past_key_values past_key_value layer_past generator tokenizer processor "
              "feature_extractor device dtype callback logger">(name) ||
      HasEnding<"_cache cache_params _fn _func _callback _generator">(name)) {
    return MakeValue(ValueKind::kObject, 0, 80);
  }
  if (HasWord<"model module layer block encoder decoder">(name) ||
      HasEnding<"_module _model">(name)) {
    return MakeValue(ValueKind::kModule, 0, 70);
  }
  if (HasWord<"shape size sizes missing_keys unexpected_keys error_msgs mrope_section">(name) ||
      HasEnding<"_resolution _list _sections _shape _sizes _dimensions">(name)) {
    return MakeValue(ValueKind::kSequence, 0, 80);
  }
  const int guessed = Bit(Trait::kGuessed);
  const auto tensor = [&](int traits) {
    return MakeValue(ValueKind::kTensor, guessed | traits, 90);
  };
  if (HasWord<"input_ids labels position_ids token_type_ids ids indices targets cache_position">(
          name) ||
      HasEnding<"_ids _labels _indices _tokens">(name)) {
    return tensor(Bit(Trait::kIntegers));
  }
  if (HasWord<
          "x y z q k v h c t query key value queries keys values input inputs hidden hidden_states "
          "mask attention_mask logits images image pixel_values features embeddings weight weights "
          "bias residual target tensor cos sin probs scores src tgt memory img latents sample "
          "noise query_states key_states value_states loss feats coords points boxes output bbox "
          "masks lengths freqs gate windows grid_thw spatial_shapes "
          "query_layer key_layer value_layer attention_output pixel_values_videos position_bias "
          "relative_pos rel_pos">(name) ||
      HasEnding<"_states _state _mask _masks _embeds _values _features _embeddings _embedding "
                "_logits _tensor _hidden _input _inputs _weights _scores _probs _feats _coords "
                "_output _bias "
                "_points _thw _ratios _layer_output">(name)) {
    // `k` and `c` are just as often numbers.
    Value value = tensor(0);
    if (name.size() == 1 && HasWord<"k c t h">(name)) value.certainty = 70;
    return value;
  }
  return kind == ValueKind::kUnknown ? Value() : MakeValue(kind, 0, 80);
}

}  // namespace shapewise
