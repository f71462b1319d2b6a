#include "app/solve/dense/dense_ranks.h"

#include <sys/resource.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "app/commands/flag_groups.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/rank_job.h"
#include "app/solve/dense/dense_runs.h"
#include "core/base/files.h"
#include "core/base/near_match.h"
#include "core/base/paths.h"
#include "core/device/registry.h"
#include "solvers/dense/linear/linear_mode.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/dense/ranks/rank_files.h"
#include "solvers/dense/ranks/rank_lu.h"
#include "solvers/dense/ranks/rank_solve.h"
#include "solvers/dense/ranks/scalapack.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

struct GridExtents {
    int rows = 0, cols = 0;
};

GridExtents parse_grid(const std::string& text) {
    GridExtents grid;
    const char *begin = text.data(), *end = begin + text.size();
    auto rows = std::from_chars(begin, end, grid.rows);
    bool has_cross = rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x';
    auto cols = has_cross ? std::from_chars(rows.ptr + 1, end, grid.cols) : rows;
    constexpr int kMost = 1 << 15;
    auto is_extent = [](int n) { return n >= 1 && n <= kMost; };
    if (!has_cross || cols.ec != std::errc() || cols.ptr != end || !is_extent(grid.rows) ||
        !is_extent(grid.cols))
        throw UsageError("--grid: '" + text +
                         "' is no grid: give its rows and columns of processes, such as 2x3");
    return grid;
}

RankLuMode rank_mode(const std::string& id) {
    if (id.empty() || id == "lookahead") return RankLuMode::look_ahead;
    if (id == "thesis") return RankLuMode::thesis;
    throw UsageError("unknown mode '" + id + "' of --grid; known: " + kRankModes +
                     suggestion(id, {"lookahead", "thesis"}));
}

/// Number of ranks on this machine. Collective.
int count_ranks_here(RankGroup& ranks) {
    char name[HOST_NAME_MAX + 1] = "";
    gethostname(name, sizeof name - 1);
    constexpr std::size_t kColors = std::size_t{1} << 30;
    return ranks.split(static_cast<int>(std::hash<std::string>{}(name) % kColors), 0).size();
}

/// Threads of a rank: those given, else its own cores, or the machine's over its ranks.
std::size_t threads_of_rank(int given, int n_ranks_here) {
    if (given > 0) return static_cast<std::size_t>(given);
    int own = tbb::this_task_arena::max_concurrency();
    bool is_bound = own < sysconf(_SC_NPROCESSORS_ONLN);  // to cores, by the launcher
    return static_cast<std::size_t>(is_bound ? own : std::max(own / n_ranks_here, 1));
}

/// The largest resident memory of this process so far, in MB.
double peak_resident_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    constexpr double kKilobytes = 1e-3 * 1.024;
    return static_cast<double>(usage.ru_maxrss) * kKilobytes;
}

template <class T>
class RankRun {
  public:
    RankRun(const DenseRankTask& task, Ranks& job, Json& report)
        : task_(task),
          job_(job),
          report_(report),
          is_solve_(task.dense.problem == DenseProblem::solve) {}

    void run() {
        auto cells = parse_grid(task_.flags.grid);
        do_together(&job_, [&] { grid_ = make_rank_grid(job_.all(), cells.rows, cells.cols); });
        n_ranks_here_ = count_ranks_here(job_.all());
        tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    threads_of_rank(task_.flags.threads, n_ranks_here_));
        do_together(&job_, [&] { prepare(); });
        // Errors of all ranks are reported once; one of a single rank ends the job.
        try {
            solve();
        } catch (const RankError& error) {
            job_.agree(error.what());
        }
    }

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool is_root() const { return job_.is_root(); }

    /// All that needs no other rank: the device, the extents, the matrix and the right sides.
    void prepare() {
        if (is_complex(task_.dense)) throw UsageError("--grid takes real matrices");
        mode_ = rank_mode(task_.dense.mode);
        Device& device = find_device(task_.device);
        stream_ = device.create_stream();
        auto& spec = task_.dense.input.spec;
        rows_ = spec.rows;
        cols_ = spec.cols;
        if (auto& file = task_.dense.input.file; !file.empty()) {
            if (lower_case(file).ends_with(".mtx"))
                throw UserError(file +
                                ": --grid reads .npy files, of which each rank takes its part; "
                                "write the matrix as one, or leave --grid out");
            auto extents = npy_extents(NpyFile(with_home(file)));
            rows_ = extents.rows;
            cols_ = extents.cols;
        }
        if (is_solve_ && rows_ != cols_)
            throw UserError("solve: the matrix is " + std::to_string(rows_) + "x" +
                            std::to_string(cols_) + ", but only square ones can be solved with");
        int block = task_.flags.block;
        auto bytes = sizeof(T) * static_cast<std::uint64_t>(rows_ / grid_->rows() + block) *
                     static_cast<std::uint64_t>(cols_ / grid_->cols() + block);
        // Ranks of a machine share its memory, but not that of its GPUs.
        bool is_shared = device.kind() == DeviceKind::cpu;
        require_memory(
            device, is_shared ? bytes * static_cast<unsigned>(n_ranks_here_) : bytes,
            is_shared ? "this machine's part of the matrix" : "this rank's part of the matrix",
            "take more machines, or a smaller matrix");
        a_ = CyclicMatrix<T>(*stream_, *grid_, rows_, cols_, block);
        load();
        if (is_solve_ && !task_.dense.known_solution) make_right_sides();
        if (!is_root() || task_.out.empty()) return;
        task_.check_output();
        open_files();
    }

    void load() {
        auto& input = task_.dense.input;
        if (input.file.empty())
            generate_part(*stream_, input.spec, a_);
        else
            read_part(*stream_, with_home(input.file), a_);
    }

    void make_right_sides() {
        auto blas = make_blas(*stream_);
        auto b = right_of<T>(*blas, task_.dense, {}, rows_);
        if (b.rows() != rows_)
            throw UserError("solve: the right side is " + std::to_string(b.rows()) + "x" +
                            std::to_string(b.cols()) + ", but the matrix has " +
                            std::to_string(rows_) + " rows");
        (void)largest_magnitude<T>(*stream_, b.view(), "solve", kRightNotFinite);
        b_ = host_of(*stream_, b);
    }

    void open_files() {
        auto open = [&](const char* ending) {
            return &*files_.emplace_back(std::make_unique<FileWriter>(task_.out + ending));
        };
        for (const char* ending :
             is_solve_ ? std::vector{"_X.npy"} : std::vector{"_LU.npy", "_p.npy"})
            open(ending);
        open(".json");
    }

    void require_same_devices() {
        double n_gpus = stream_->device().kind() == DeviceKind::cuda ? 1 : 0;
        grid_->all.add(&n_gpus, 1, -1);
        if (n_gpus != 0 && n_gpus != grid_->all.size())
            throw RankError("some ranks have a GPU, and some do not: add --device cpu");
    }

    /// Waits for all ranks and their devices; returns the time.
    Clock::time_point meet() {
        stream_->synchronize();
        job_.agree("");
        return Clock::now();
    }
    double seconds_since(Clock::time_point start) {
        return std::chrono::duration<double>(meet() - start).count();
    }

    void solve() {
        require_same_devices();
        // Right sides of the solution 1 need the matrix before its factors replace it.
        bool is_square = rows_ == cols_;
        if (is_square && b_.data.empty()) {
            HostMatrix<T> ones(cols_, std::max(is_solve_ ? task_.dense.n_right : 1, 1));
            std::ranges::fill(ones.data, T(1));
            b_ = product_over_ranks(*stream_, *grid_, a_, ones);
        }
        auto start = meet();
        swaps_ = factorise_over_ranks(*stream_, *grid_, a_, {mode_}, &times_);
        factor_seconds_ = seconds_since(start);
        int zero_pivot = first_zero_pivot_over_ranks(*stream_, *grid_, a_);
        if (is_solve_ && zero_pivot >= 0) throw RankError(singular_matrix(zero_pivot).what());
        bool has_solution = is_square && zero_pivot < 0;
        start = meet();
        if (has_solution) x_ = solve_over_ranks(*stream_, *grid_, a_, swaps_, b_);
        solve_seconds_ = seconds_since(start);
        fill_report(zero_pivot);
        write_results();
        if (has_solution || task_.flags.peers) do_together(&job_, [&] { load(); });
        if (has_solution) {
            double error = backward_error_over_ranks(*stream_, *grid_, a_, x_, b_);
            if (is_solve_ && !std::isfinite(error)) throw RankError(infinite_solution().what());
            report_["accuracy"]["backward_error"] = finite_or_text(error);
            if (!is_solve_ || task_.dense.known_solution) report_solution_errors(x_.data, report_);
        }
        if (task_.flags.peers) run_peer();
        add_memory();
        finish_files();
    }

    [[nodiscard]] double operations() const { return lu_operations(rows_, cols_); }

    void fill_report(int zero_pivot) {
        report_["device"] = stream_->device().id();
        report_["rows"] = rows_;
        report_["cols"] = cols_;
        report_["mode"] = mode_ == RankLuMode::thesis ? "thesis" : "lookahead";
        report_["seconds"] = factor_seconds_ + (is_solve_ ? solve_seconds_ : 0);
        report_["accuracy"] = Json::object();
        report_["results"] = {{"ranks", grid_->all.size()},
                              {"grid", task_.flags.grid},
                              {"block", task_.flags.block},
                              {"factorisation_seconds", factor_seconds_},
                              {"substitution_seconds", solve_seconds_},
                              {"gflops", operations() / factor_seconds_ * 1e-9},
                              {"zero_pivot", zero_pivot}};
        report_["stages"] = Json::array();
        constexpr double kMilliseconds = 1e3;
        for (auto [name, seconds] : {std::pair{"panels", times_.panels},
                                     {"row exchanges", times_.exchanges},
                                     {"updates", times_.updates},
                                     {"waits for panels", times_.waits}})
            report_["stages"].push_back({{"name", name}, {"ms", seconds * kMilliseconds}});
    }

    void write_matrix(FileWriter& file, const HostMatrix<T>& matrix) {
        write_npy<T>(file, matrix.rows, matrix.cols, matrix.data);
    }

    /// Writes the factors or the solution into the root's files.
    void write_results() {
        // Whether there are files is known at all ranks.
        if (task_.out.empty()) return;
        if (is_solve_) {
            if (is_root()) write_matrix(*files_[0], x_);
            return;
        }
        if (is_root()) {
            const std::size_t shape[] = {static_cast<std::size_t>(rows_),
                                         static_cast<std::size_t>(cols_)};
            write_npy_header(*files_[0], kNpyType<T>, shape, true);
        }
        for_each_block_column<T>(*stream_, *grid_, a_, [&](std::span<const T> columns) {
            files_[0]->write({reinterpret_cast<const char*>(columns.data()), columns.size_bytes()});
        });
        if (!is_root()) return;
        auto p = order_of(swaps_, rows_);
        const std::size_t n_rows[] = {p.size()};
        write_npy_header(*files_[1], "<i4", n_rows);
        files_[1]->write({reinterpret_cast<const char*>(p.data()), p.size() * sizeof(int)});
    }

    /// Times ScaLAPACK with the same matrix.
    void run_peer() {
        std::optional<ScalapackSystem<T>> peer;
        do_together(&job_, [&] { peer.emplace(*stream_, *grid_, a_); });
        auto start = meet();
        peer->factorise();
        double factor = seconds_since(start), substitution = 0;
        double n_other = peer->count_other_pivots(swaps_) / double(grid_->cols());
        if (is_solve_) {
            CyclicMatrix<T> b(*stream_, *grid_, rows_, b_.cols, task_.flags.block);
            HostMatrix<T> own(b.local.rows(), b.local.cols());
            for (int j = 0; j < own.cols; ++j)
                for (int i = 0; i < own.rows; ++i)
                    own(i, j) = b_(b.rows.global(i), b.cols.global(j));
            b.local.upload(*stream_, own.data);
            start = meet();
            peer->solve(*stream_, b);
            substitution = seconds_since(start);
        }
        grid_->all.add(&n_other, 1, -1);
        auto& results = report_["results"];
        results["scalapack_seconds"] = factor + substitution;
        results["scalapack_gflops"] = operations() / factor * 1e-9;
        results["speed_over_scalapack"] =
            (factor + substitution) / report_["seconds"].template get<double>();
        results["other_pivots_than_scalapack"] = std::lround(n_other);
    }

    void add_memory() {
        auto size = static_cast<std::size_t>(grid_->all.size());
        std::vector<double> peaks(size);
        peaks[static_cast<std::size_t>(grid_->all.rank())] = peak_resident_mb();
        grid_->all.add(peaks.data(), size, -1);
        double matrix = static_cast<double>(sizeof(T)) * a_.local.rows() * a_.local.cols() * 1e-6;
        report_["results"]["matrix_mb_of_rank_0"] = matrix;
        report_["results"]["peak_memory_mb"] = std::ranges::max(peaks);
        report_["rank_memory_mb"] = peaks;
    }

    void finish_files() {
        if (files_.empty()) return;
        files_.back()->write(json_text(report_));
        std::vector<FileWriter*> in_order;
        for (auto& file : files_) in_order.push_back(file.get());
        finish_together(in_order);
    }

    const DenseRankTask& task_;
    Ranks& job_;
    Json& report_;
    bool is_solve_;
    RankLuMode mode_ = RankLuMode::look_ahead;
    std::unique_ptr<Stream> stream_;
    std::optional<RankGrid> grid_;
    int n_ranks_here_ = 1;
    int rows_ = 0, cols_ = 0;
    CyclicMatrix<T> a_;  ///< the matrix, its factors, and again the matrix
    HostMatrix<T> b_, x_;
    std::vector<int> swaps_;
    RankLuTimes times_;
    double factor_seconds_ = 0, solve_seconds_ = 0;
    std::vector<std::unique_ptr<FileWriter>> files_;  ///< at the root
};

template <class T>
void run_as(const DenseRankTask& task, Json& report) {
    auto grid = parse_grid(task.flags.grid);
    (void)rank_mode(task.dense.mode);
    Ranks* job = open_job(std::chrono::seconds(task.flags.timeout));
    if (!job && grid.rows * grid.cols == 1)
        throw UsageError("--grid 1x1 is one process, for which the command needs no --grid");
    if (!job)
        throw UsageError("--grid " + task.flags.grid + " needs a job of " +
                         std::to_string(grid.rows * grid.cols) +
                         " processes: start the command by mpirun -n " +
                         std::to_string(grid.rows * grid.cols));
    RankRun<T>(task, *job, report).run();
}

}  // namespace

void add_rank_flags(CLI::App& command, DenseRankFlags& flags) {
    auto* grid = command
                     .add_option("--grid", flags.grid,
                                 "with mpirun: spread the matrix over a grid of P x Q processes")
                     ->type_name("PxQ")
                     ->group(kMoreFlags);
    add_value(command, "--block", flags.block, "N", "rows and columns of a block of the matrix")
        ->check(between(1, 1024))
        ->needs(grid)
        ->group(kMoreFlags);
    name_number(
        add_value(
            command, "--rank-threads", flags.threads, "N",
            "threads of each process on the CPU; auto: those of the machine over its processes")
            ->check(between(0, 4096))
            ->needs(grid)
            ->group(kMoreFlags),
        "auto");
    add_value(command, "--rank-timeout", flags.timeout, "S",
              "longest time without a message of another process")
        ->check(between(1, 1'000'000))
        ->needs(grid)
        ->group(kMoreFlags);
    command.add_flag("--peers", flags.peers, "also time ScaLAPACK with the same processes")
        ->needs(grid)
        ->group(kMoreFlags);
    for (const char* other : {"--out-of-core", "--factors", "--packed"})
        if (auto* option = command.get_option_no_throw(other)) grid->excludes(option);
}

template <>
void run_on_ranks<float>(const DenseRankTask& task, Json& report) {
    run_as<float>(task, report);
}
template <>
void run_on_ranks<double>(const DenseRankTask& task, Json& report) {
    run_as<double>(task, report);
}

}  // namespace tl
