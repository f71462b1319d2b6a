#include "app/solve/dense/dense_devices.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/machine_report.h"
#include "app/jobs/output.h"
#include "app/solve/dense/dense_runs.h"
#include "core/base/files.h"
#include "core/base/paths.h"
#include "solvers/dense/devices/spread_files.h"
#include "solvers/dense/devices/spread_lu.h"
#include "solvers/dense/devices/spread_solve.h"
#include "solvers/dense/linear/linear_mode.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/lu/lu_modes.h"
#include "solvers/dense/matrix_files.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

/// Factors in a file: L with ones on its diagonal, U, or both in one matrix.
enum class FactorPart { lower, upper, both };

template <class T>
class DevicesRun {
  public:
    DevicesRun(const DenseDevicesTask& task, Json& report)
        : task_(task),
          report_(report),
          is_solve_(task.dense.problem == DenseProblem::solve),
          group_(find_devices(task.devices)) {}

    void run() {
        take_extents();
        widths_ = widths_over_devices(task_.dense, rows_, cols_, sizeof(T));
        a_.emplace(group_, rows_, cols_, widths_.block);
        if (!task_.out.empty()) open_files();
        load();
        make_right_sides();
        factorise();
        pivots_ = pivots_over_devices(group_, *a_);
        int zero_pivot = first_zero(pivots_);
        if (is_solve_ && zero_pivot >= 0) throw singular_matrix(zero_pivot);
        bool has_solution = rows_ == cols_ && zero_pivot < 0;
        if (has_solution) substitute();
        fill_report(zero_pivot);
        if (!task_.out.empty()) write_results();
        if (has_solution) report_errors();
        finish_files();
    }

  private:
    using Clock = std::chrono::steady_clock;

    void take_extents() {
        auto& input = task_.dense.input;
        rows_ = input.spec.rows;
        cols_ = input.spec.cols;
        if (!input.file.empty()) {
            auto extents = extents_of_file(with_home(input.file));
            rows_ = extents.rows;
            cols_ = extents.cols;
        }
        if (rows_ == 0 || cols_ == 0)
            throw UserError("--device " + task_.devices + ": the matrix has no elements to spread");
        if (is_solve_ && rows_ != cols_)
            throw UserError("solve: the matrix is " + std::to_string(rows_) + "x" +
                            std::to_string(cols_) + ", but only square ones can be solved with");
    }

    void load() {
        auto& input = task_.dense.input;
        if (input.file.empty())
            generate_spread(group_, input.spec, *a_);
        else
            read_spread(group_, with_home(input.file), *a_);
    }

    /// Sets the right sides of a system, or those of the solution 1, which need the matrix.
    void make_right_sides() {
        if (is_solve_ && !task_.dense.known_solution) {
            auto b = right_of<T>(group_.blas(0), task_.dense, {}, rows_);
            if (b.rows() != rows_)
                throw UserError("solve: the right side is " + std::to_string(b.rows()) + "x" +
                                std::to_string(b.cols()) + ", but the matrix has " +
                                std::to_string(rows_) + " rows");
            (void)largest_magnitude<T>(group_.stream(0), b.view(), "solve", kRightNotFinite);
            b_ = host_of(group_.stream(0), b);
        } else if (rows_ == cols_) {
            HostMatrix<T> ones(cols_, is_solve_ ? std::max(task_.dense.n_right, 1) : 1);
            std::ranges::fill(ones.data, T(1));
            b_ = product_over_devices(group_, *a_, ones);
        }
    }

    void factorise() {
        SolverRun run;
        factors_ = factorise_over_devices(group_, *a_, widths_, run);
    }

    void substitute() {
        auto start = Clock::now();
        x_ = solve_over_devices(group_, *a_, factors_.swaps, b_);
        solve_seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    }

    void fill_report(int zero_pivot) {
        report_["device"] = ids_of(find_devices(task_.devices));
        report_["rows"] = rows_;
        report_["cols"] = cols_;
        report_["mode"] = is_solve_ ? "lu" : "blocked";
        report_["seconds"] = factors_.seconds + (is_solve_ ? solve_seconds_ : 0);
        report_["accuracy"] = Json::object();
        report_["results"] = {
            {"devices", group_.size()},
            {"block", widths_.block},
            {"leaf", widths_.leaf},
            {"factorisation_seconds", factors_.seconds},
            {"substitution_seconds", solve_seconds_},
            {"gflops", lu_operations(rows_, cols_) / std::max(factors_.seconds, 1e-9) * 1e-9},
            {"zero_pivot", zero_pivot}};
        if (is_solve_) report_["results"]["right_sides"] = b_.cols;
        if (!is_solve_ && rows_ == cols_)
            report_["results"]["determinant"] =
                determinant_json(determinant_of(pivots_, factors_.swaps, {}));
        report_["stages"] = stages_json(factors_.stages);
    }

    /// Loads the matrix once more, which its factors have replaced, and compares.
    void report_errors() {
        load();
        double error = backward_error_over_devices(group_, *a_, x_, b_);
        if (is_solve_ && !std::isfinite(error)) throw infinite_solution();
        report_["accuracy"]["backward_error"] = finite_or_text(error);
        if (!is_solve_ || task_.dense.known_solution) report_solution_errors(x_.data, report_);
    }

    void open_files() {
        task_.check_output();
        std::vector<const char*> endings{"_X.npy"};
        if (!is_solve_) endings = {"_L.npy", "_U.npy", "_p.npy"};
        if (!is_solve_ && task_.dense.packed) endings = {"_LU.npy", "_p.npy"};
        endings.push_back(".json");
        for (const char* ending : endings)
            files_.push_back(std::make_unique<FileWriter>(task_.out + ending));
    }

    void write_results() {
        if (is_solve_) return write_npy<T>(*files_[0], x_.rows, x_.cols, x_.data);
        int order = std::min(rows_, cols_);
        if (task_.dense.packed) {
            write_factor(*files_[0], FactorPart::both, rows_, cols_);
        } else {
            write_factor(*files_[0], FactorPart::lower, rows_, order);
            write_factor(*files_[1], FactorPart::upper, order, cols_);
        }
        auto& file = *files_[files_.size() - 2];
        auto p = order_of(factors_.swaps, rows_);
        const std::size_t n_rows[] = {p.size()};
        write_npy_header(file, "<i4", n_rows);
        file.write({reinterpret_cast<const char*>(p.data()), p.size() * sizeof(int)});
    }

    /// Writes a factor of that shape, one block of columns after the other.
    void write_factor(FileWriter& file, FactorPart part, int rows, int cols) {
        const std::size_t shape[] = {static_cast<std::size_t>(rows),
                                     static_cast<std::size_t>(cols)};
        write_npy_header(file, kNpyType<T>, shape, true);
        for (auto& block : a_->blocks()) {
            auto columns = download_block(group_, *a_, block);
            for (int j = 0; j < std::min(block.width, cols - block.first); ++j) {
                T* column = columns.data.data() + static_cast<std::ptrdiff_t>(j) * rows_;
                int diagonal = std::min(block.first + j, rows);
                if (part == FactorPart::lower) {
                    std::fill(column, column + diagonal, T(0));
                    column[diagonal] = T(1);
                } else if (part == FactorPart::upper && diagonal < rows) {
                    std::fill(column + diagonal + 1, column + rows, T(0));
                }
                file.write({reinterpret_cast<const char*>(column), sizeof(T) * shape[0]});
            }
        }
    }

    void finish_files() {
        if (files_.empty()) return;
        files_.back()->write(json_text(report_));
        std::vector<FileWriter*> in_order;
        for (auto& file : files_) in_order.push_back(file.get());
        finish_together(in_order);
    }

    const DenseDevicesTask& task_;
    Json& report_;
    bool is_solve_;
    DeviceGroup group_;
    int rows_ = 0, cols_ = 0;
    LuBlocks widths_;
    std::optional<SpreadMatrix<T>> a_;  ///< the matrix, its factors, and again the matrix
    HostMatrix<T> b_, x_;
    SpreadLuResult factors_;
    std::vector<T> pivots_;
    double solve_seconds_ = 0;
    std::vector<std::unique_ptr<FileWriter>> files_;  ///< that of the report is the last one
};

template <class T>
void run_as(const DenseDevicesTask& task, Json& report) {
    if (is_complex(task.dense))
        throw UsageError("--device " + task.devices + ": a list of devices takes real matrices");
    DevicesRun<T>(task, report).run();
}

}  // namespace

bool is_device_list(const std::string& devices) {
    return devices == "cuda:all" || devices.find(',') != std::string::npos;
}

LuBlocks widths_over_devices(const DenseTask& task, int rows, int cols, std::size_t element_size) {
    const char* mode = task.problem == DenseProblem::solve ? "lu" : "blocked";
    if (!task.mode.empty() && task.mode != mode)
        throw UsageError("mode '" + task.mode +
                         "' does not run on a list of devices; known: " + mode);
    for (auto& setting : task.settings)
        if (!setting.first.starts_with("blocked."))
            throw UsageError("a list of devices does not take " + setting.first +
                             ", which is a setting of another mode");
    LuBlocks asked;
    set_given(settings_of(asked), "blocked", task.settings, "blocked");
    asked.leaf += asked.leaf % 2;
    return spread_widths(asked, std::min(rows, cols), element_size);
}

template <>
void run_on_devices<float>(const DenseDevicesTask& task, Json& report) {
    run_as<float>(task, report);
}
template <>
void run_on_devices<double>(const DenseDevicesTask& task, Json& report) {
    run_as<double>(task, report);
}

}  // namespace tl
