// One call on a tree: takes a stream, and brings arrays of host memory to the device and back.
#pragma once

#include <algorithm>
#include <optional>

#include "library/api/tree_handle.h"

namespace tl {

/// Whether an array has to be copied to be used on a device. Throws UserError for memory of another
/// GPU.
[[nodiscard]] bool needs_copy(const Device& device, const void* data);

/// Arrays of one call, or of one slice of it, where the device reads and writes them. Those in host
/// memory are copied to scratch memory of a scope that ends with this object, or to staging memory
/// if they are small; results are copied back by finish().
class CallArrays {
  public:
    /// Without staging memory (null) all arrays are copied.
    CallArrays(Scratch& scratch, StagingMemory* staging, std::size_t first, std::size_t count)
        : scratch_(scratch), staging_(staging), scope_(scratch), first_(first), count_(count) {}
    /// Waits for work that may still use staging memory, after an error too.
    ~CallArrays();
    CallArrays(const CallArrays&) = delete;
    CallArrays& operator=(const CallArrays&) = delete;

    /// The slice's vectors. Null data stay null.
    [[nodiscard]] StridedFloats in(const tl_floats& floats, std::size_t n_components);
    /// All of `n` vectors, whatever the slice is.
    [[nodiscard]] StridedFloats all_in(const tl_floats& floats, std::size_t n,
                                       std::size_t n_components);
    template <class T>
    [[nodiscard]] const T* all_in(const T* data, std::size_t n) {
        return data ? static_cast<const T*>(copy_in(data, n * sizeof(T))) : nullptr;
    }
    /// The slice's elements: `per` for each query, and `more` after the last.
    template <class T>
    [[nodiscard]] const T* in(const T* data, std::size_t per = 1, std::size_t more = 0) {
        if (!data) return nullptr;
        return static_cast<const T*>(
            copy_in(data + first_ * per, (count_ * per + more) * sizeof(T)));
    }
    /// Memory for the slice's results, which kernels write once each, and do not read.
    template <class T>
    [[nodiscard]] T* out(T* data, std::size_t per = 1) {
        return data ? out_at(data + first_ * per, count_ * per) : nullptr;
    }
    /// Memory for `n` such results.
    template <class T>
    [[nodiscard]] T* out_at(T* data, std::size_t n) {
        return static_cast<T*>(take_out(data, n * sizeof(T), true));
    }
    /// Memory for the slice's results, which kernels read and write again.
    template <class T>
    [[nodiscard]] T* out_and_in(T* data, std::size_t per) {
        if (!data) return nullptr;
        return static_cast<T*>(take_out(data + first_ * per, count_ * per * sizeof(T), false));
    }
    /// Copies results to host memory. Waits if the call has read or written host memory: the caller
    /// may then use it again.
    void finish();
    [[nodiscard]] Scratch& scratch() { return scratch_; }
    [[nodiscard]] Stream& stream() { return scratch_.stream(); }
    /// The slice's first query.
    [[nodiscard]] std::size_t first() const { return first_; }
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(count_); }

  private:
    struct Result {
        void* to;
        const void* from;
        std::size_t bytes;
        bool is_staged;
    };
    [[nodiscard]] void* take_staged(std::size_t bytes);
    void release_staging();
    [[nodiscard]] const void* copy_in(const void* data, std::size_t bytes);
    [[nodiscard]] void* take_out(void* data, std::size_t bytes, bool may_stage);

    Scratch& scratch_;
    StagingMemory* staging_;
    Scratch::Scope scope_;
    std::size_t first_, count_;
    std::vector<Result> results_;
    bool has_host_input_ = false;
    bool uses_staging_ = false;
};

/// The lists of a slice of queries, in the device's memory.
class SliceLists {
  public:
    /// `needs_size`: whether size() or out() for entries in host memory will be called. Waits for
    /// offsets on the device then.
    SliceLists(CallArrays& arrays, const std::uint64_t* offsets, bool needs_size);
    /// Memory for the entries of the slice's lists, `per` elements each.
    template <class T>
    [[nodiscard]] T* out(T* entries, std::size_t per = 1) {
        if (!entries || !needs_copy(arrays_.stream().device(), entries))
            return entries ? entries + first_ * per : nullptr;
        return arrays_.out_at(entries + first_ * per, size() * per);
    }
    [[nodiscard]] std::size_t size() const { return end_ - first_; }
    [[nodiscard]] ListOffsets offsets() const { return {offsets_, first_}; }

  private:
    CallArrays& arrays_;
    const std::uint64_t* offsets_;
    std::uint64_t first_ = 0, end_ = 0;
};

/// A query's hold on a tree: others may query it, and no build changes it.
class TreeQuery {
  public:
    TreeQuery(const tl_tree& tree, void* stream)
        : tree_(const_cast<tl_tree&>(tree)), shared_(tree_.lock) {
        auto [query, in_use] = tree_.streams.query_on(stream);
        query_ = query;
        in_use_ = std::move(in_use);
    }
    /// Later builds wait for the work that the stream has been given, also after an error.
    ~TreeQuery() { tree_.streams.end_query(*query_); }
    TreeQuery(const TreeQuery&) = delete;
    TreeQuery& operator=(const TreeQuery&) = delete;
    /// Calls work(arrays) for slices of `count` queries.
    template <class Work>
    void for_slices(std::size_t count, const Work& work) {
        for_slices_of(kSlice, count, work);
    }
    /// The same in slices of `size`.
    template <class Work>
    void for_slices_of(std::size_t size, std::size_t count, const Work& work) {
        for (std::size_t first = 0; first < count; first += size) {
            CallArrays arrays(query_->scratch, &query_->staging, first,
                              std::min(size, count - first));
            work(arrays);
            arrays.finish();
        }
    }

    /// Calls work(arrays) once, for arrays that are taken whole.
    template <class Work>
    void for_all(const Work& work) {
        CallArrays arrays(query_->scratch, &query_->staging, 0, 0);
        work(arrays);
        arrays.finish();
    }

  private:
    /// Limits the temporary memory of a call.
    static constexpr std::size_t kSlice = std::size_t{1} << 24;

    tl_tree& tree_;
    std::shared_lock<std::shared_mutex> shared_;
    QueryStream* query_ = nullptr;
    std::unique_lock<std::mutex> in_use_;
};

/// Changes a tree by work(scratch, arrays). The caller holds the tree's lock exclusively.
template <class Work>
void write_tree(tl_tree& tree, void* stream, const Work& work) {
    struct Write {
        tl_tree& tree;
        ~Write() { tree.streams.end_write(); }
    };
    Scratch& scratch = tree.streams.write_on(stream);
    const Write write{tree};
    CallArrays arrays(scratch, nullptr, 0, 0);
    work(scratch, arrays);
    arrays.finish();
}

/// Error of a call with a tree of another kind.
inline tl_status refuse_kind(const char* wanted) {
    return fail(TL_INVALID, std::string("the call is for trees of ") + wanted);
}

}  // namespace tl
