// Python's builtins, methods of its types, and modules of its library that model code calls.

#include "source/outside_table.h"

namespace shapewise {
namespace {

constexpr Numbers kAllNumbers{kEveryPosition, "", false};

constexpr OutsideGroup kBuiltins[] = {
    {Gives::kLength, "len"},
    {Gives::kAsInt, "int round"},
    {Gives::kAsFloat, "float"},
    {Gives::kAsBool, "bool"},
    {Gives::kExtremum, "max min sum abs pow"},
    {Gives::kCount, "range", kAllNumbers},
    {Gives::kCollect, "list tuple set frozenset sorted reversed iter"},
    {Gives::kSequence, "enumerate zip map filter divmod dir"},
    {Gives::kMapping, "dict vars globals locals"},
    {Gives::kText, "str repr format chr hex bin oct ascii bytes bytearray input"},
    {Gives::kFixedInt, "id hash ord"},
    {Gives::kSetting, "isinstance issubclass hasattr callable"},
    {Gives::kAsBool, "any all"},
    {Gives::kObject,
     "object slice property staticmethod classmethod memoryview complex open compile Exception "
     "ValueError TypeError RuntimeError NotImplementedError KeyError IndexError AttributeError "
     "ImportError AssertionError StopIteration OSError FileNotFoundError BaseException "
     "DeprecationWarning "
     "UserWarning FutureWarning"},
    {Gives::kNone, "print setattr delattr exec breakpoint"},
    {Gives::kUnknown, "getattr next super type eval __import__"},
};

constexpr OutsideGroup kText[] = {
    {Gives::kText,
     "capitalize casefold center decode encode expandtabs format format_map join ljust lower "
     "lstrip removeprefix removesuffix replace rjust rstrip strip swapcase title translate upper "
     "zfill"},
    {Gives::kSequence, "split rsplit splitlines partition rpartition"},
    {Gives::kSetting,
     "endswith startswith isalnum isalpha isascii isdecimal isdigit isidentifier islower "
     "isnumeric isspace istitle isupper"},
    {Gives::kFixedInt, "count find index rfind rindex"},
};

constexpr OutsideGroup kList[] = {
    {Gives::kNone, "append clear extend insert remove reverse sort add discard update"},
    {Gives::kFixedInt, "count index"},
    {Gives::kSequence, "copy union intersection difference symmetric_difference keys items"},
    {Gives::kSetting, "issubset issuperset isdisjoint"},
    {Gives::kUnknown, "pop values appendleft popleft"},
};

constexpr OutsideGroup kDict[] = {
    {Gives::kNone, "clear update"},
    {Gives::kMapping, "copy fromkeys"},
    {Gives::kSequence, "items keys values popitem"},
    {Gives::kUnknown, "get pop setdefault"},
};

constexpr OutsideGroup kInt[] = {
    {Gives::kMathInt, "bit_length bit_count conjugate"},
    {Gives::kText, "to_bytes"},
};

constexpr OutsideGroup kFloat[] = {
    {Gives::kMathBool, "is_integer"},
    {Gives::kText, "hex"},
    {Gives::kMathFloat, "conjugate"},
};

constexpr OutsideGroup kMath[] = {
    {Gives::kMathFloat,
     "acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees dist erf erfc exp "
     "exp2 expm1 fabs fmod gamma hypot ldexp lgamma log log10 log1p log2 nextafter pow radians "
     "remainder sin sinh sqrt tan tanh ulp fsum",
     kAllNumbers},
    {Gives::kMathInt, "ceil comb factorial floor gcd isqrt lcm perm trunc", kAllNumbers},
    {Gives::kMathBool, "isclose isfinite isinf isnan", kAllNumbers},
    {Gives::kExtremum, "prod"},
    {Gives::kSequence, "frexp modf"},
};

constexpr OutsideGroup kOperator[] = {
    {Gives::kExtremum, "add sub mul truediv floordiv mod pow neg pos abs"},
    {Gives::kFixedInt, "length_hint"},
    {Gives::kUnknown, "getitem itemgetter attrgetter methodcaller matmul"},
};

constexpr OutsideGroup kRandom[] = {
    {Gives::kDrawnInt, "randint randrange"},
    {Gives::kDrawnFloat, "uniform"},
    {Gives::kMathFloat,
     "random gauss normalvariate betavariate expovariate triangular lognormvariate "
     "gammavariate vonmisesvariate paretovariate weibullvariate"},
    {Gives::kMathInt, "getrandbits"},
    {Gives::kSequence, "choices sample getstate"},
    {Gives::kUnknown, "choice"},
    {Gives::kNone, "seed shuffle setstate"},
    {Gives::kObject, "Random SystemRandom"},
};

constexpr OutsideGroup kRandomObject[] = {
    {Gives::kDrawnInt, "randint randrange"},
    {Gives::kDrawnFloat, "uniform"},
};

constexpr OutsideGroup kCopy[] = {{Gives::kFirst, "copy deepcopy replace"}};

constexpr OutsideGroup kTyping[] = {
    {Gives::kUnknown, "cast TypeVar NewType NamedTuple TypedDict get_type_hints"}};

constexpr OutsideGroup kLogging[] = {
    {Gives::kNone,
     "basicConfig critical debug disable error exception fatal info log warn warning "
     "captureWarnings"},
    {Gives::kObject, "getLogger Logger", {}, "logging.Logger"},
    {Gives::kObject, "StreamHandler FileHandler Formatter Filter NullHandler"},
    {Gives::kText, "getLevelName"},
};

constexpr OutsideGroup kLogger[] = {
    {Gives::kNone,
     "addFilter addHandler critical debug error exception fatal info log removeHandler setLevel "
     "warn warning warning_once info_once warning_advice"},
    {Gives::kFixedInt, "getEffectiveLevel"},
    {Gives::kSetting, "isEnabledFor hasHandlers"},
};

constexpr OutsideGroup kLibraryLogging[] = {
    {Gives::kObject, "get_logger", {}, "logging.Logger"},
};

constexpr OutsideGroup kWarnings[] = {
    {Gives::kNone, "filterwarnings resetwarnings simplefilter showwarning warn warn_explicit"},
    {Gives::kObject, "catch_warnings"},
};

constexpr OutsideGroup kItertools[] = {
    {Gives::kSequence,
     "accumulate batched chain combinations combinations_with_replacement compress count cycle "
     "dropwhile filterfalse groupby islice pairwise permutations product repeat starmap takewhile "
     "tee zip_longest"},
};

constexpr OutsideGroup kFunctools[] = {
    {Gives::kFirst, "cache lru_cache wraps cached_property singledispatch total_ordering partial"},
    {Gives::kUnknown, "reduce cmp_to_key partialmethod update_wrapper"},
};

constexpr OutsideGroup kCollections[] = {
    {Gives::kMapping, "OrderedDict defaultdict Counter ChainMap"},
    {Gives::kSequence, "deque"},
    {Gives::kObject, "namedtuple UserDict UserList"},
};

constexpr OutsideGroup kContextlib[] = {
    {Gives::kObject,
     "nullcontext suppress ExitStack AsyncExitStack closing redirect_stdout redirect_stderr"},
    {Gives::kFirst, "contextmanager asynccontextmanager"},
};

constexpr OutsideGroup kContextVars[] = {{Gives::kObject, "ContextVar copy_context Context"}};

constexpr OutsideGroup kThreading[] = {
    {Gives::kObject, "Lock RLock Condition Semaphore BoundedSemaphore"},
    {Gives::kObject, "Thread Event Timer Barrier local current_thread"},
    {Gives::kFixedInt, "get_ident active_count"},
};

constexpr OutsideGroup kTime[] = {
    {Gives::kMathFloat, "time perf_counter monotonic process_time thread_time"},
    {Gives::kMathInt, "time_ns perf_counter_ns monotonic_ns process_time_ns"},
    {Gives::kNone, "sleep"},
    {Gives::kText, "strftime ctime asctime"},
    {Gives::kObject, "localtime gmtime strptime"},
};

constexpr OutsideGroup kOs[] = {
    {Gives::kText, "getenv getcwd fspath"},
    {Gives::kFixedInt, "getpid cpu_count system"},
    {Gives::kSequence, "listdir walk scandir"},
    {Gives::kNone, "makedirs mkdir remove unlink rename chdir putenv"},
};

constexpr OutsideGroup kPath[] = {
    {Gives::kText, "abspath basename dirname expanduser expandvars join normpath realpath relpath"},
    {Gives::kSetting, "exists isabs isdir isfile islink"},
    {Gives::kFixedInt, "getsize"},
    {Gives::kFixedFloat, "getmtime"},
    {Gives::kSequence, "split splitext"},
};

constexpr OutsideGroup kEnvironment[] = {{Gives::kText, "get pop setdefault"}};

constexpr OutsideGroup kImportlib[] = {
    {Gives::kObject, "import_module reload find_spec"},
};

constexpr OutsideGroup kImportlibUtil[] = {
    {Gives::kObject, "find_spec module_from_spec spec_from_file_location"},
};

constexpr OutsideGroup kInspect[] = {
    {Gives::kObject, "signature getfullargspec currentframe stack getmodule"},
    {Gives::kSetting, "isclass isfunction ismethod ismodule"},
    {Gives::kText, "getsource getfile"},
};

constexpr OutsideGroup kProgress[] = {{Gives::kFirst, "tqdm trange"}};

constexpr OutsideGroup kDataclasses[] = {
    {Gives::kFirst, "dataclass replace"},      {Gives::kMapping, "asdict"},
    {Gives::kSequence, "astuple fields"},      {Gives::kSetting, "is_dataclass"},
    {Gives::kUnknown, "field make_dataclass"},
};

constexpr OutsideGroup kExpressions[] = {
    {Gives::kObject, "compile match search fullmatch"},
    {Gives::kText, "sub escape"},
    {Gives::kSequence, "findall finditer split"},
};

constexpr OutsideGroup kJson[] = {
    {Gives::kText, "dumps"},
    {Gives::kUnknown, "load loads"},
    {Gives::kNone, "dump"},
};

}  // namespace

llvm::ArrayRef<OutsideTable> PythonTables() {
  static const OutsideTable tables[] = {
      {"builtins.", kBuiltins, ValueKind::kUnknown},
      {"str.", kText, ValueKind::kUnknown},
      {"list.", kList, ValueKind::kUnknown},
      {"dict.", kDict, ValueKind::kUnknown},
      {"int.", kInt, ValueKind::kUnknown},
      {"float.", kFloat, ValueKind::kUnknown},
      {"math.", kMath, ValueKind::kUnknown},
      {"operator.", kOperator, ValueKind::kUnknown},
      {"random.", kRandom, ValueKind::kUnknown},
      {"random.Random.", kRandomObject, ValueKind::kUnknown},
      {"copy.", kCopy, ValueKind::kUnknown},
      {"typing.", kTyping, ValueKind::kUnknown},
      {"logging.", kLogging, ValueKind::kUnknown},
      {"logging.Logger.", kLogger, ValueKind::kUnknown},
      {"transformers.utils.logging.", kLibraryLogging, ValueKind::kUnknown},
      {"warnings.", kWarnings, ValueKind::kUnknown},
      {"itertools.", kItertools, ValueKind::kUnknown},
      {"functools.", kFunctools, ValueKind::kUnknown},
      {"collections.", kCollections, ValueKind::kUnknown},
      {"contextlib.", kContextlib, ValueKind::kUnknown},
      {"contextvars.", kContextVars, ValueKind::kUnknown},
      {"threading.", kThreading, ValueKind::kUnknown},
      {"time.", kTime, ValueKind::kUnknown},
      {"os.", kOs, ValueKind::kUnknown},
      {"os.path.", kPath, ValueKind::kUnknown},
      {"os.environ.", kEnvironment, ValueKind::kUnknown},
      {"importlib.", kImportlib, ValueKind::kUnknown},
      {"importlib.util.", kImportlibUtil, ValueKind::kUnknown},
      {"inspect.", kInspect, ValueKind::kUnknown},
      {"tqdm.", kProgress, ValueKind::kUnknown},
      {"re.", kExpressions, ValueKind::kUnknown},
      {"json.", kJson, ValueKind::kUnknown},
      {"dataclasses.", kDataclasses, ValueKind::kUnknown},
  };
  return tables;
}

}  // namespace shapewise
