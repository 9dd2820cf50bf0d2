// The engine of `shapewise replay`: prepares jobs for the programs that run them, and evaluates
// their answers.

#ifndef SHAPEWISE_PIPELINE_REPLAY_H_
#define SHAPEWISE_PIPELINE_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/graph_model.h"
#include "model/session.h"
#include "pipeline/advise.h"
#include "pipeline/predict.h"
#include "result/advice.h"
#include "result/replay_report.h"
#include "support/error.h"
#include "support/text_input.h"

namespace shapewise {

/// How to run a policy. Absent: use the default of the program that runs it.
struct ReplaySettings {
  std::string folder;            ///< absolute path of the folder with the files of the job
  std::string script;            ///< where to save the program of the best policy; empty: not saved
  std::string device;            ///< "cpu", "cuda"; empty: a GPU if available
  std::string mode;              ///< of torch.compile; empty: its default
  std::string backend;           ///< of torch.compile; empty: its default
  std::optional<uint64_t> seed;  ///< seed of random inputs
  std::optional<uint64_t> threads;        ///< threads per process
  std::optional<uint64_t> repetitions;    ///< timing repetitions, interleaved over the policies
  std::optional<double> tolerance;        ///< relative tolerance for comparing results
  std::optional<double> timeout_seconds;  ///< limit for a process, or for one answer
  bool backward = false;                  ///< run the backward pass, too
  /// "data.py:make_inputs": creates the inputs of a call; empty: random numbers
  std::string make_inputs;
};

/// Writes one graph of a set, given its number, as shapewise.program/1.
using GraphProgramText = std::function<std::string(const GraphSet& graphs, size_t graph)>;

/// What to replay, and how.
struct ReplayOptions {
  std::vector<std::string> paths;  ///< plans (advise or buckets as JSON), logs, traces
  std::vector<std::string> calls;  ///< call records of the run
  /// What to run: "train.py:step", "package.module:Model.forward"; empty: the captured graph
  std::string callable;
  /// Function whose calls are replayed; empty: the callable, or what compiled most.
  std::string function;
  /// "x:1": dims padded by a plan of buckets; empty: as in the plan.
  std::vector<std::string> dims;
  std::vector<std::string> fills;     ///< "labels=-100": the padding value for such a plan
  std::vector<std::string> policies;  ///< more policies in the form of ParsePolicy
  AdviseOptions advise;               ///< how to make advice from logs; its paths are ignored
  std::vector<std::string> body;      ///< traces of a probe run of the function (LoadBody)
  bool assume_no_questions = false;   ///< SimulatorOptions::assume_no_questions
  bool trust = false;                 ///< allow running a captured graph
  uint64_t max_calls = 1000;          ///< replay at most this many calls, from the first
  /// Judge by a run of this many calls; absent: as many as replayed.
  std::optional<uint64_t> steps;
  ReplaySettings settings;
  GraphProgramText program_of;  ///< writes captured graphs
  /// Rewrites the report; what is run keeps its names, and so does the session. Null: unchanged.
  Redactor* redactor = nullptr;
};

/// A file for the other program.
struct ReplayFile {
  std::string name;
  std::string text;
};

/// A replay, from inputs to results.
struct ReplayRun {
  Session session;                ///< of the logs
  std::optional<Advice> advice;   ///< made from logs; absent: a plan was given
  std::vector<RecordFile> files;  ///< of call records
  std::vector<ReplayFile> job;    ///< files for one folder; the first is the job
  bool is_graph = false;          ///< the subject is a captured graph
  ReplayReport report;
};

/// Reads plans, logs and calls, chooses the policies to run, predicts their effects, and creates
/// the files of the job. Error: nothing to run, an unreadable plan or policy, or a captured graph
/// without `options.trust`.
Error PrepareReplay(const ReplayOptions& options, FileSource& files, ReplayRun& run);

/// Reads the calls, and creates the files of a job that times them at other sizes: all of
/// `options.dims` are varied together. Error: no calls, no callable, or calls without such a dim.
Error PrepareTiming(const ReplayOptions& options, FileSource& files, ReplayRun& run);

/// Reads the answer to the job of `run` (shapewise.replay/1), and judges every policy. Error:
/// `answer` is invalid.
Error FinishReplay(const ReplayOptions& options, std::string_view answer, ReplayRun& run);

/// Adds measurements of single actions and of the plan to `advice`, and withdraws actions that do
/// not pay off.
void ValidateAdvice(const ReplayReport& report, Advice& advice);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_REPLAY_H_
