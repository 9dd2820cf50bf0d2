#include "redact/kept_words.h"

#include "llvm/ADT/StringSet.h"

namespace shapewise {
namespace {

using Words = llvm::StringSet<>;

// Splits a list of words separated by blanks.
Words SplitWords(std::string_view list) {
  Words words;
  while (!list.empty()) {
    const size_t end = list.find(' ');
    const std::string_view word = list.substr(0, end);
    if (!word.empty()) words.insert(llvm::StringRef(word.data(), word.size()));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return words;
}

bool Has(const Words& words, std::string_view word) {
  return words.contains(llvm::StringRef(word.data(), word.size()));
}

constexpr std::string_view kPython =
    "and as assert async await break class continue def del elif else except finally for from "
    "global if import in is lambda nonlocal not or pass raise return try while with yield None "
    "True False Ellipsis NotImplemented abs all any bool bytearray bytes callable chr complex dict "
    "delattr dir divmod enumerate eval exec filter float format frozenset getattr globals hasattr "
    "hash hex id input int isinstance issubclass iter len list locals map max min next object open "
    "ord pow print property range repr reversed round set setattr slice sorted staticmethod "
    "classmethod str sum super tuple type vars zip NoneType function method module generator "
    "builtin_function_or_method ModuleType keys values items self cls args kwargs locals start "
    "stop "
    "step genexpr listcomp dictcomp setcomp string stdin frozen unknown notebook partial "
    "getitem __import__ __init__ __call__ __new__ __getitem__ __setitem__ __delitem__ __contains__ "
    "__len__ "
    "__iter__ __next__ __enter__ __exit__ __class__ __dict__ __name__ __qualname__ __module__ "
    "__code__ __closure__ __defaults__ __kwdefaults__ __func__ __self__ __wrapped__ __globals__ "
    "__annotations__ __builtins__ __main__ __bool__ __int__ __float__ __index__ __getattr__ "
    "__getattribute__ __setattr__ __delattr__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ "
    "__repr__ __str__ __format__ __array__ __del__ __mro__ __bases__ __doc__ __file__ __get__ "
    "__set__ __torch_function__ __torch_dispatch__ __tensor_flatten__ __add__ __radd__ __iadd__ "
    "__sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__ __matmul__ __truediv__ __itruediv__ "
    "__floordiv__ __mod__ __pow__ __neg__ __and__ __or__ __xor__ __invert__ __rand__ __ror__";

constexpr std::string_view kExceptions =
    "Exception BaseException ArithmeticError AssertionError AttributeError BufferError EOFError "
    "FileNotFoundError FloatingPointError ImportError IndexError KeyError KeyboardInterrupt "
    "LookupError MemoryError ModuleNotFoundError NameError NotImplementedError OSError IOError "
    "OverflowError PermissionError RecursionError ReferenceError RuntimeError StopIteration "
    "StopAsyncIteration SyntaxError SystemError SystemExit TimeoutError TypeError "
    "UnboundLocalError UnicodeDecodeError UnicodeError ValueError ZeroDivisionError Warning "
    "UserWarning DeprecationWarning FutureWarning RuntimeWarning";

// torch/_dynamo/guards.py, torch/csrc/dynamo/guards.cpp, torch/utils/_sympy.
constexpr std::string_view kGuards =
    "L G SYNTHETIC_LOCAL TENSOR_ALIASING size stride shape ndim dim dtype device layout numel "
    "storage_offset is_cuda is_contiguous contiguous ndimension data data_ptr grad item isnan nan "
    "inf oo int_oo math Sym Eq Ne Lt Le Gt Ge And Or Not Min Max Mod PythonMod FloorDiv CeilDiv "
    "CleanDiv TrueDiv IntTrueDiv FloatTrueDiv PowByNatural FloatPow ToFloat Pow Abs sqrt "
    "cast_symbool_to_symint_guardless check_tensor check_no_aliasing check_overlapping "
    "utils_device CURRENT_DEVICE _parameters _modules _buffers _hooks ids hooks requires_grad "
    "grad_mode autocast autocast_enabled autocast_cache_enabled _enabled "
    "autocast_cpu_enabled autocast_gpu_enabled autocast_cpu_dtype autocast_gpu_dtype num_threads "
    "deterministic_algorithms default_dtype torch_function float32_matmul_precision inference_mode "
    "allow_tf32 allow_bf16_reduce allow_fp16_reduce training _dynamo_dynamic_indices "
    "_dynamo_weak_dynamic_indices _dynamo_unbacked_indices _dynamo_static_indices "
    "_dynamo_dynamic_range _dynamo_static_input_type _dynamo_propagate_unbacked "
    "_dynamo_strict_unbacked_indices _dynamo_unbacked_bounds _dynamo_hint_overrides "
    "_dynamo_shape_ids __compiled_fn "
    "__math_isnan cell_contents __contains__ "
    "___check_type_id ___check_obj_id ___check_global_state ___check_no_aliasing "
    "___check_current_backend ___check_torch_function_mode_stack ___check_fake_script_type "
    "___are_deterministic_algorithms_enabled ___compile_config_hash ___current_backend "
    "___dict_const_keys ___dict_contains ___dict_param_key_ids ___dict_version ___guarded_code "
    "___is_grad_enabled ___is_in_inference_mode ___is_torch_function_enabled ___key_to_id "
    "___normalize_count_iter ___normalize_range_iter ___skip_backend_check ___tuple_iterator_len "
    "___tuple_iterator_getitem ___odict_getitem ___from_numpy ___as_tensor ___get_torch_function "
    "___stack ___needs_nopython ___get_current_stream ___to_tuple valid issubset symbolic "
    "primals_ tangents_ eval_with_key torch_dynamo_resume_in_ "
    // An error inside a guard: "name 'x' is not defined", "object has no attribute 'x'".
    "name defined has no attribute Unexpected recompilation runtime guards failed";

constexpr std::string_view kTensors =
    "Tensor Parameter Buffer FakeTensor AsyncCollectiveTensor DTensor NestedTensor "
    "UninitializedParameter "
    "DispatchKeySet DispatchKey Byte Char Short Int Long Half Float Double ComplexHalf "
    "ComplexFloat "
    "ComplexDouble Bool BFloat16 Float8_e4m3fn Float8_e5m2 UInt16 UInt32 UInt64 CPU CUDA XLA MPS "
    "HPU XPU Meta BackendSelect ADInplaceOrView AutogradCPU AutogradCUDA AutogradXLA AutogradMPS "
    "AutogradHPU AutogradXPU AutogradMeta AutogradOther AutogradFunctionality Autograd "
    "AutocastCPU AutocastCUDA Functionalize Python PythonTLSSnapshot PythonDispatcher Conjugate "
    "Negative ZeroTensor Dense Sparse SparseCsr SparseCPU SparseCUDA SparseCsrCPU SparseCsrCUDA "
    "AutogradSparse NestedTensorCPU NestedTensorCUDA AutogradNestedTensor Quantized QuantizedCPU "
    "QuantizedCUDA cpu cuda xla mps hpu xpu meta ipu mtia strided sparse_coo float16 float32 "
    "float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex32 complex64 "
    "complex128 f16 f32 f64 bf16 i8 i16 i32 i64 u8 b8 c64 c128 SymInt SymFloat SymBool Size "
    "device_type index preserve_format contiguous_format channels_last";

// Words for global state in call records (python/shapewise/record/describe.py).
constexpr std::string_view kRecordedStates =
    "grad off inference autocast function_modes threads deterministic default_dtype default_device";

// torch/_dynamo/variables: names of classes that contexts of breaks print.
constexpr std::string_view kVariables =
    "ConstantVariable TensorVariable UserDefinedObjectVariable UserDefinedClassVariable "
    "UserFunctionVariable UserMethodVariable NestedUserFunctionVariable NNModuleVariable "
    "UnspecializedNNModuleVariable UnspecializedBuiltinNNModuleVariable "
    "FSDPManagedNNModuleVariable "
    "BuiltinVariable TorchVariable TorchInGraphFunctionVariable TorchCtxManagerClassVariable "
    "SkipFunctionVariable SkipFilesVariable GetAttrVariable PythonModuleVariable ListVariable "
    "TupleVariable SizeVariable SliceVariable RangeVariable ListIteratorVariable DequeVariable "
    "NamedTupleVariable ConstDictVariable DefaultDictVariable SetVariable FrozensetVariable "
    "SymNodeVariable NumpyNdarrayVariable NumpyVariable UnspecializedPythonVariable "
    "LambdaVariable ClosureVariable NewCellVariable NewGlobalVariable DeletedVariable "
    "UnknownVariable InspectSignatureVariable AutogradFunctionVariable "
    "AutogradFunctionContextVariable ContextWrappingVariable GenericContextWrappingVariable "
    "GradModeVariable AutocastModeVariable NullContextVariable WithExitFunctionVariable "
    "DistributedVariable ProcessGroupVariable DeviceMeshVariable BackwardHookVariable "
    "RemovableHandleVariable TensorWithTFOverrideVariable FunctoolsPartialVariable "
    "ZipVariable MapVariable FilterVariable EnumVariable MutableMappingVariable SuperVariable "
    "LoggingLoggerVariable DebuggingVariable StringFormatVariable OptimizerVariable "
    "PlacementVariable TorchHigherOrderOperatorVariable TorchScriptObjectVariable "
    "DataClassVariable MethodWrapperVariable WrapperUserFunctionVariable StreamVariable "
    "EventVariable LazyVariableTracker VariableTracker ExceptionVariable IteratorVariable "
    "LocalGeneratorObjectVariable RandomVariable RandomClassVariable WeakRefVariable "
    "ItertoolsVariable CountIteratorVariable CycleIteratorVariable RepeatIteratorVariable "
    "DictKeysVariable DictValuesVariable DictItemsVariable DictViewVariable TypingVariable "
    "CUDADeviceVariable InferenceModeVariable DisabledSavedTensorsHooksVariable "
    "TorchFunctionModeVariable HFPretrainedConfigVariable CustomizedDictVariable";

// Python modules that code rules look for in contexts of breaks, and words in these contexts.
constexpr std::string_view kModules =
    "torch torch_xla torchvision torchaudio aten prim prims operator _operator builtins functools "
    "collections itertools contextlib numpy ndarray NumPy qualname builtin";

// Functions that wrap the user's, which display names skip, and known functions of Inductor.
constexpr std::string_view kFunctions =
    "forward inner wrapper _fn _call_impl _wrapped_call_impl GraphModule ContextVar "
    "FailOnRecompileLimitHit FailOnCacheLimitHit CacheLimitExceeded RecompileLimitExceeded "
    "RecompileError Unsupported "
    "BackendCompilerFailed InternalTorchDynamoError InductorError TorchRuntimeError "
    "ConstraintViolationError GuardOnDataDependentSymNode PendingUnbackedSymbolNotFound "
    "UserError UserErrorType UncapturedHigherOrderOpError inductor aot_eager eager cudagraphs "
    "idx index layer block layer_idx layer_id layer_index block_idx block_id depth_idx stage_idx "
    "stage_id head_idx expert_idx expert_id <module> <lambda> ProfilerStep";

// Linux kernel functions named in profiles, see timeline/kernel_functions.cc.
constexpr std::string_view kKernel =
    "smap_gather_stats smaps_pte_range smaps_pte_entry smaps_account smaps_page_accumulate "
    "show_smap show_smaps_rollup pagemap_read pagemap_pmd_range show_numa_map gather_pte_stats "
    "clear_refs_write compact_zone isolate_migratepages_block khugepaged khugepaged_scan_mm_slot "
    "hpage_collapse_scan_pmd collapse_huge_page task_numa_work change_prot_numa "
    "migrate_misplaced_page shrink_node shrink_lruvec balance_pgdat ksm_scan_thread ksm_do_scan "
    "kernel_function";

constexpr std::string_view kSmall =
    "a an the of in at on by to from for with without and or not no is are was were be been has "
    "have had it its this that these those as but than then when where which while because since "
    "so if can cannot could may might must should will would do does did done line lines file "
    "files read cannot got expected found open No such directory denied Permission dim dims rank "
    "ranks mismatch failed error Error warning trying access tensor value dynamo processing input "
    "graphs graph recording recorded cudagraph tree symint symints key compile compiled Torch "
    "Compiled Region step user code mark_step region "
    "a damaged archive its start "
    "JSON kind interrupted unknown empty size sizes shape shapes type types between both each "
    "other same different "
    "equal greater less more most least out range bounds";

// Words in reports of `tune`.
constexpr std::string_view kTune =
    "advise allow backend baseline breaks calls candidates combination compiles counts effect ends "
    "errors fail faster generic hits injected instead keep limit made makes only pads padding "
    "prints "
    "program raises real repeated results returns slower status steps tried tries unchanged";

constexpr std::string_view kRoots =
    "torch torch_xla aten prim prims operator _operator math builtins functools collections "
    "itertools numpy";

constexpr std::string_view kNamespaces =
    "aten prims prim higher_order inductor inductor_prims c10d c10d_functional _c10d_functional "
    "_c10d_functional_autograd rngprims quantized _quantized quantized_decomposed profiler "
    "debugprims symm_mem mkldnn mkl onednn xnnpack sparse static_runtime fsdp streams xla";

constexpr std::string_view kEndings =
    ".py .pyc .pyi .ipynb .so .log .txt .out .err .json .jsonl .csv .tsv .html .svg .md .gz .zst "
    ".zip .pt .pt2 .pth .partial .trace .yaml .toml";

// Words that vLLM and SGLang print at startup: folders, modes of CUDA graphs, parts of a cache key.
constexpr std::string_view kServers =
    "vllm sglang torch_compile_cache torch_aot_compile backbone eagle_head FULL PIECEWISE NONE "
    "FULL_AND_PIECEWISE FULL_DECODE_ONLY env cfg comp code dir torch_compile";

}  // namespace

bool IsKeptWord(std::string_view word) {
  static const Words* const words = [] {
    auto* all = new Words;
    for (const std::string_view list : {kPython, kExceptions, kGuards, kTensors, kRecordedStates,
                                        kVariables, kModules, kFunctions, kKernel, kServers}) {
      for (const auto& entry : SplitWords(list)) all->insert(entry.getKey());
    }
    return all;
  }();
  return Has(*words, word);
}

bool IsSmallWord(std::string_view word) {
  static const Words small = SplitWords(kSmall);
  static const Words tune = SplitWords(kTune);
  return Has(small, word) || Has(tune, word);
}

bool IsKeptRoot(std::string_view word) {
  static const Words words = SplitWords(kRoots);
  return Has(words, word);
}

bool IsKeptNamespace(std::string_view word) {
  static const Words words = SplitWords(kNamespaces);
  return Has(words, word);
}

bool IsKeptEnding(std::string_view ending) {
  static const Words words = SplitWords(kEndings);
  return Has(words, ending);
}

}  // namespace shapewise
