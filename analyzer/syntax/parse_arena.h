// Where tree-sitter's memory comes from.

#ifndef SHAPEWISE_ANALYZER_SYNTAX_PARSE_ARENA_H_
#define SHAPEWISE_ANALYZER_SYNTAX_PARSE_ARENA_H_

#include <cstddef>
#include <memory>
#include <vector>

namespace shapewise {

/// Memory of one parse, given back all at once: tree-sitter allocates for each token and frees
/// most of it one by one, which costs more than a tenth of a parse.
class ParseArena {
 public:
  /// While one lives, what tree-sitter allocates on this thread comes from the arena. Nothing of it
  /// may be used after the scope: neither trees nor parsers.
  class Scope {
   public:
    /// `text_bytes`: the size of the text that is parsed, with which the bound grows.
    Scope(ParseArena& arena, size_t text_bytes);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();
  };

  /// Cleared, and set to 1 when the memory of a parse passes a bound: a number that depends on the
  /// text alone, so that giving up is deterministic.
  const size_t* is_exhausted() const { return &is_exhausted_; }

 private:
  friend class Scope;
  static void* Allocate(size_t bytes);
  static void* AllocateZeroed(size_t count, size_t bytes);
  static void* Reallocate(void* old, size_t bytes);
  static void Free(void* memory);

  void* Take(size_t bytes);
  void NextChunk(size_t bytes);

  struct Chunk {
    std::unique_ptr<std::byte[]> bytes;
    size_t size = 0;
  };
  std::vector<Chunk> chunks_;
  size_t chunk_ = 0;  ///< the one in use
  std::byte* at_ = nullptr;
  std::byte* end_ = nullptr;
  size_t taken_ = 0;  ///< bytes of this parse
  size_t most_ = 0;   ///< the bound of this parse
  size_t is_exhausted_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_ANALYZER_SYNTAX_PARSE_ARENA_H_
