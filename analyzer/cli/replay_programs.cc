#include "cli/replay_programs.h"

#include <cstdlib>
#include <system_error>

#include "cli/options.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "report/report.h"

namespace shapewise {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Whether pip installed the package into the environment at `prefix`, including editable installs.
bool HasPackage(llvm::StringRef prefix) {
  llvm::SmallString<256> libraries(prefix);
  path::append(libraries, "lib");
  std::error_code code;
  for (fs::directory_iterator python(libraries, code), end; !code && python != end;
       python.increment(code)) {
    if (!std::string_view(path::filename(python->path())).starts_with("python3")) continue;
    llvm::SmallString<256> packages(python->path());
    path::append(packages, "site-packages");
    std::error_code unreadable;
    for (fs::directory_iterator entry(packages, unreadable); !unreadable && entry != end;
         entry.increment(unreadable)) {
      const std::string_view name = path::filename(entry->path());
      if (name.starts_with("shapewise-") && name.ends_with(".dist-info")) return true;
    }
  }
  return false;
}

std::string OwnFolder() {
  static const int anchor = 0;
  // NOLINT: its own type.
  const std::string self = fs::getMainExecutable(nullptr, const_cast<int*>(&anchor));
  return std::string(path::parent_path(self));
}

/// The interpreter of the environment where a wheel installed this program, with the package;
/// empty: not installed by a wheel.
std::string OwnPython() {
  const std::string folder = OwnFolder();
  llvm::SmallString<256> python(folder);
  path::append(python, "python3");
  if (!fs::can_execute(python) || !HasPackage(path::parent_path(folder))) return {};
  return std::string(python);
}

/// The folder of the package in the checkout where this program was built; empty: none, or the
/// program has its own package.
std::string CheckedOutPackage() {
  if (!OwnPython().empty()) return {};
  std::string folder = OwnFolder();
  constexpr int kMostSteps = 6;
  for (int i = 0; i < kMostSteps && !folder.empty(); ++i) {
    llvm::SmallString<256> candidate(folder);
    path::append(candidate, "python");
    llvm::SmallString<256> module(candidate);
    path::append(module, "shapewise", "replay", "__main__.py");
    if (fs::exists(module)) return std::string(candidate);
    folder = std::string(path::parent_path(folder));
  }
  return {};
}

constexpr const char* kAnswerFile = "answer.json";
constexpr const char* kOutputFile = "output.txt";
constexpr const char* kProgramFile = "program.json";
constexpr const char* kReplayProgram = "shapewise-replay";
// Time limit for an answer without --timeout, and the tolerance.
constexpr double kAnswerSeconds = 1800;
constexpr double kSecondsMore = 2;

// Exit codes of the check of the interpreter.
constexpr int kNoTorch = 11;
constexpr int kNoPackage = 12;
constexpr const char* kProbe =
    "import importlib.util, sys\n"
    "if not importlib.util.find_spec('torch'): sys.exit(11)\n"
    "try: found = importlib.util.find_spec('shapewise.replay')\n"
    "except ModuleNotFoundError: found = None\n"
    "sys.exit(0 if found else 12)\n";

void AddCallOptions(CommandLine& line, ReplayOptions& replay) {
  line.SetHeading("Calls to run");
  line.Add("--callable", &replay.callable, "SPEC",
           "Function or module to run: FILE.py:NAME or MODULE:NAME");
  line.Add("--make-inputs", &replay.settings.make_inputs, "SPEC",
           "Function that creates the inputs of a recorded call, FILE.py:NAME [default: "
           "random inputs]");
  AddRepeatable(line, "--calls", replay.calls, "FILE",
                "Recorded calls of the same run; repeatable");
  line.Add("--function", &replay.function, "NAME", "Function whose calls are replayed");
  AddRepeatable(line, "--body", replay.body, "PATH",
                "Trace (TORCH_TRACE) of a run of the function, used for predictions; repeatable");
  line.AddFlag("--assume-no-questions", &replay.assume_no_questions,
               "If the body of the function is unknown, assume that it compares no sizes");
  line.AddFlag("--trust", &replay.trust, "Run the graph in a trace, which is Python code");
  line.Add("--max-calls", &replay.max_calls, "N", "Replay at most the first N calls",
           {.check = Positive(), .shows_default = true});
}

void AddRunOptions(CommandLine& line, ReplayOptions& replay) {
  line.SetHeading("How to run them");
  line.Add("--steps", &replay.steps, "N",
           "Compare policies by the time of N calls [default: as many as recorded]");
  ReplaySettings& settings = replay.settings;
  line.Add("--device", &settings.device, "NAME", "Device: cpu or cuda [default: as recorded]");
  line.Add("--mode", &settings.mode, "MODE", "Mode of torch.compile");
  line.Add("--backend", &settings.backend, "NAME", "Backend of torch.compile");
  line.Add("--repetitions", &settings.repetitions, "N", "Number of processes per policy");
  line.Add("--timeout", &settings.timeout_seconds, "S",
           "Time limit in seconds for a process, or for timing one size [default: 1800]",
           {.check = Positive()});
  line.Add("--threads", &settings.threads, "N", "Threads of a process");
  line.Add("--seed", &settings.seed, "N", "Seed of random inputs");
  line.Add("--tolerance", &settings.tolerance, "X",
           "Relative difference from which on results count as different");
  line.AddFlag("--backward", &settings.backward, "Run the backward pass, too");
}

void AddProgramOptions(CommandLine& line, ReplayOptions& replay, ReplayProgramOptions& programs) {
  line.SetHeading("Programs and files");
  line.Add("--script", &replay.settings.script, "FILE", "Save the program of the best policy");
  line.Add("--python", &programs.python, "FILE", "Python interpreter with torch");
  line.Add("--package", &programs.package, "DIR",
           "Folder that contains the Python package shapewise");
  line.Add("--replay-program", &programs.replay_program, "FILE",
           "Path of shapewise-replay, which runs captured graphs");
  line.Add("--keep", &programs.keep, "DIR", "Keep the generated files in this folder");
}

std::string Absolute(const std::string& given) {
  llvm::SmallString<256> whole(given);
  if (fs::make_absolute(whole)) return given;
  path::remove_dots(whole, /*remove_dot_dot=*/false);
  return std::string(whole);
}

Expected<std::string> FindPython(const ReplayProgramOptions& programs) {
  if (!programs.python.empty()) return FindProgram(programs.python);
  const char* environment = std::getenv("VIRTUAL_ENV");  // NOLINT(concurrency-mt-unsafe)
  if (environment != nullptr && *environment != '\0') {
    llvm::SmallString<256> python(environment);
    path::append(python, "bin", "python3");
    if (fs::can_execute(python)) return std::string(python);
  }
  // The environment that contains this program, even if it is not activated.
  if (std::string own = OwnPython(); !own.empty()) return own;
  Expected<std::string> python = FindProgram("python3");
  if (python) return python;
  llvm::consumeError(python.takeError());
  return MakeError(
      "python3: not found in PATH (use --python FILE to name an interpreter with torch)");
}

/// Sets up what all calls of the interpreter share.
ProgramCall PythonCall(const std::string& python, const ReplayProgramOptions& programs,
                       bool is_graph) {
  ProgramCall call;
  call.program = python;
  call.is_silent = programs.is_silent;
  std::string package = programs.package.empty() ? CheckedOutPackage() : Absolute(programs.package);
  if (!package.empty()) {
    const char* before = std::getenv("PYTHONPATH");  // NOLINT(concurrency-mt-unsafe)
    if (before != nullptr && *before != '\0') package += ":" + std::string(before);
    call.variables.emplace_back("PYTHONPATH", std::move(package));
  }
  // The user's program is looked up in the working directory; a captured graph must not import from
  // there.
  if (is_graph) call.variables.emplace_back("PYTHONSAFEPATH", "1");
  return call;
}

Error Probe(const ProgramCall& python) {
  ProgramCall probe = python;
  probe.arguments = {"-c", kProbe};
  Expected<int> status = RunProgram(probe);
  if (!status) return status.takeError();
  switch (*status) {
    case 0:
      return Error::success();
    case kNoTorch:
      return MakeError(python.program +
                       ": torch is not installed (run `pip install torch` in its environment, or "
                       "use --python FILE)");
    case kNoPackage:
      return MakeError(python.program +
                       ": the package shapewise.replay is not installed (run `pip install "
                       "shapewise` in its environment, or use --package DIR)");
    default:
      return MakeError(python.program + ": not a Python interpreter (exit status " +
                       std::to_string(*status) + ")");
  }
}

Error Interrupted() { return MakeError("interrupted"); }

Expected<std::string> ReadAnswer(const std::string& file) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer) return MakeError("the program that runs the policies wrote no answer");
  return (*buffer)->getBuffer().str();
}

Expected<std::string> FindReplayProgram(const ReplayProgramOptions& programs) {
  if (!programs.replay_program.empty()) return FindProgram(programs.replay_program);
  llvm::SmallString<256> beside(OwnFolder());
  path::append(beside, kReplayProgram);
  if (fs::can_execute(beside)) return std::string(beside);
  Expected<std::string> found = FindProgram(kReplayProgram);
  if (found) return found;
  llvm::consumeError(found.takeError());
  return MakeError(
      "shapewise-replay: not found next to this program or in PATH (see analyzer/docs/replay.md "
      "for building it, or use --replay-program FILE)");
}

Expected<ProgramCall> GraphServer(const ReplayProgramOptions& programs,
                                  const ReplaySettings& settings, const WorkFolder& folder,
                                  CurveRun& run) {
  Expected<std::string> program = FindReplayProgram(programs);
  if (!program) return program.takeError();
  if (Error error = folder.Write({{kProgramFile, run.program}})) return error;
  ProgramCall call;
  call.program = *program;
  call.is_silent = programs.is_silent;
  call.arguments = {"serve", folder.PathOf(kProgramFile)};
  run.report.device = settings.device.empty() ? "cpu" : settings.device;
  const auto add = [&](const char* option, const std::string& value) {
    call.arguments.emplace_back(option);
    call.arguments.push_back(value);
  };
  add("--device", run.report.device);
  if (settings.threads) add("--threads", std::to_string(*settings.threads));
  if (settings.seed) add("--seed", std::to_string(*settings.seed));
  return call;
}

Expected<ProgramCall> CallableServer(const ReplayProgramOptions& programs, const WorkFolder& folder,
                                     const CurveRun& run) {
  Expected<std::string> python = FindPython(programs);
  if (!python) return python.takeError();
  if (Error error = folder.Write(run.job)) return error;
  ProgramCall call = PythonCall(*python, programs, /*is_graph=*/false);
  if (Error error = Probe(call)) return error;
  call.arguments = {"-m", "shapewise.replay", "--serve", folder.PathOf(run.job.front().name)};
  return call;
}

/// Starts `call` and asks it to time sizes.
Error Measure(const ProgramCall& call, const CurveOptions& options, const ReplayOptions& replay,
              bool is_callable, CurveRun& run) {
  Expected<std::unique_ptr<LineProgram>> server = LineProgram::Start(call);
  if (!server) return server.takeError();
  double seconds = replay.settings.timeout_seconds.value_or(kAnswerSeconds);
  // For a callable there is one process for each of two ways to compile, which may have to be
  // restarted: it handles hanging ones itself.
  if (is_callable) seconds = 4 * seconds + kSecondsMore;
  const auto read = [&]() -> Expected<std::string> {
    Expected<std::string> line = (*server)->Read(seconds);
    if (!line) (*server)->Stop();
    return line;
  };
  if (is_callable) {
    Expected<std::string> line = read();
    if (!line) return line.takeError();
    if (Error error = ReadReadiness(*line, run.report)) return error;
  }
  return MeasureCurve(
      options, replay.steps,
      [&](const std::string& line) -> Expected<std::string> {
        if (Error failed = (*server)->Write(line)) return failed;
        return read();
      },
      run);
}

}  // namespace

void AddReplayOptions(CommandLine& line, ReplayOptions& replay, ReplayProgramOptions& programs) {
  AddCallOptions(line, replay);
  AddRunOptions(line, replay);
  AddProgramOptions(line, replay, programs);
  line.SetHeading("");
}

std::string GraphProgramOf(const GraphSet& graphs, size_t graph) {
  GraphReport report;
  report.graph = graph;
  std::string text;
  llvm::raw_string_ostream out(text);
  FindFormat(GraphFormats(), "program")->write(graphs, {report}, ReportOptions(), out);
  out.flush();
  return text;
}

Expected<std::unique_ptr<WorkFolder>> WorkFolder::Make(const std::string& keep) {
  std::unique_ptr<WorkFolder> folder(new WorkFolder());
  if (!keep.empty()) {
    folder->is_kept_ = true;
    folder->path_ = Absolute(keep);
    if (const std::error_code code = fs::create_directories(folder->path_)) {
      return MakeError("cannot create the folder " + keep + ": " + code.message());
    }
    return folder;
  }
  llvm::SmallString<256> name;
  path::system_temp_directory(/*ErasedOnReboot=*/true, name);
  path::append(name, "shapewise-replay-XXXXXX");
  // Only the owner may write there, because its content is executed.
  folder->path_ = std::string(name);
  if (mkdtemp(folder->path_.data()) == nullptr) {
    folder->path_.clear();
    return MakeError("cannot create a temporary folder");
  }
  return folder;
}

WorkFolder::~WorkFolder() {
  // Files that cannot be removed are left to the system's clean-up.
  if (!is_kept_ && !path_.empty()) (void)fs::remove_directories(path_);
}

Error WorkFolder::Write(const std::vector<ReplayFile>& files) const {
  for (const ReplayFile& file : files) {
    if (Error error =
            WriteResult(PathOf(file.name), [&](llvm::raw_ostream& out) { out << file.text; })) {
      return error;
    }
  }
  return Error::success();
}

void PlaceIn(const WorkFolder& folder, ReplayOptions& options) {
  options.settings.folder = folder.path();
  if (!options.settings.script.empty()) options.settings.script = Absolute(options.settings.script);
}

Error RunPolicies(const ReplayProgramOptions& programs, const ReplayOptions& options,
                  const WorkFolder& folder, ReplayRun& run) {
  Expected<std::string> python = FindPython(programs);
  if (!python) return python.takeError();
  if (Error error = folder.Write(run.job)) return error;
  ProgramCall call = PythonCall(*python, programs, run.is_graph);
  const SignalsPassedOn signals;
  if (Error error = Probe(call)) {
    if (SignalsPassedOn::Caught() == 0) return error;
    llvm::consumeError(std::move(error));
    return Interrupted();
  }
  const std::string answer = folder.PathOf(kAnswerFile);
  (void)fs::remove(answer);  // from an earlier run
  call.arguments = {"-m", "shapewise.replay", folder.PathOf(run.job.front().name), "--output",
                    answer};
  call.output = folder.PathOf(kOutputFile);
  Expected<int> status = RunProgram(call);
  if (SignalsPassedOn::Caught() != 0) {
    if (!status) llvm::consumeError(status.takeError());
    return Interrupted();
  }
  if (!status) return status.takeError();
  if (*status != 0) {
    return MakeError("the program that runs the policies failed (exit status " +
                     std::to_string(*status) + ")");
  }
  Expected<std::string> text = ReadAnswer(answer);
  if (!text) return text.takeError();
  return FinishReplay(options, *text, run);
}

Error RunCurve(const ReplayProgramOptions& programs, const CurveOptions& options,
               const ReplayOptions& replay, const WorkFolder& folder, CurveRun& run) {
  const bool is_callable = !run.job.empty();
  const SignalsPassedOn signals;
  Expected<ProgramCall> call = is_callable ? CallableServer(programs, folder, run)
                                           : GraphServer(programs, replay.settings, folder, run);
  Error error = call ? Measure(*call, options, replay, is_callable, run) : call.takeError();
  if (SignalsPassedOn::Caught() == 0) return error;
  llvm::consumeError(std::move(error));
  return Interrupted();
}

}  // namespace shapewise
