#include "app/solve/matrix_input.h"

#include "app/commands/value_option.h"
#include "app/jobs/format.h"
#include "app/jobs/text_table.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "solvers/complex/complex_matrix.h"
#include "solvers/dense/matrix_files.h"

namespace tl {

using Json = nlohmann::ordered_json;

void add_matrix_flags(CLI::App& command, MatrixInput& input, const std::string& seed_help) {
    auto* file = command.add_option("--input", input.file, "matrix to read: .npy or .mtx")
                     ->type_name("FILE");
    auto* kind = add_value(command, "--kind", input.spec.kind, "KIND",
                           "kind of matrix to make: " + ids_of(matrix_kinds()));
    kind->excludes(file);
    auto add_extent = [&](const char* flag, int& extent, const char* help) {
        command.add_option(flag, extent, help)
            ->type_name("N")
            ->check(between(1, 1 << 20))
            ->excludes(file);
    };
    add_extent("--rows", input.spec.rows, "rows of the matrix to make");
    add_extent("--cols", input.spec.cols,
               "columns of the matrix to make; default: as many as rows");
    add_value(command, "--cond", input.spec.condition, "C",
              "condition number of the matrix to make, where the kind has one")
        ->excludes(file);
    add_value(command, "--seed", input.spec.seed, "K", seed_help);
}

void add_complex_flag(CLI::App& command, MatrixInput& input) {
    command
        .add_flag("--complex", input.complex,
                  "make a complex matrix, whose parts are two matrices of the kind; files tell by "
                  "themselves")
        ->excludes(command.get_option("--input"));
}

bool is_complex(const MatrixInput& input) {
    return input.file.empty() ? input.complex : is_complex_file(with_home(input.file));
}

CLI::Option* add_right_side_flags(CLI::App& command, std::string& file, int& n_sides) {
    auto* read =
        command.add_option("--rhs", file, "right sides to read, one a column: .npy or .mtx")
            ->type_name("FILE");
    add_value(command, "--sides", n_sides, "N", "right sides to make, where none are read")
        ->check(between(1, 1 << 20))
        ->excludes(read);
    return read;
}

void complete_matrix(MatrixInput& input, const std::string& command) {
    auto& spec = input.spec;
    if (input.file.empty() && spec.rows == 0)
        throw UsageError(command + " needs a matrix: --input FILE, or --rows N");
    if (spec.cols == 0) spec.cols = spec.rows;
}

template <class T>
static Matrix<T> input_matrix(Blas& blas, const MatrixInput& input, std::vector<double>* known) {
    if (input.file.empty()) return make_matrix<T>(blas, input.spec, known);
    if (known) known->clear();
    auto read = read_matrix(with_home(input.file));
    if constexpr (sizeof(T) == sizeof(float)) require_floats(input.file, read);
    return uploaded<T>(blas.stream(), read.rows, read.cols, read.data);
}

template <class T>
static Matrix<Complex<T>> complex_input(Blas& blas, const MatrixInput& input) {
    if (input.file.empty()) return make_complex_matrix<T>(blas, input.spec);
    auto read = read_complex_matrix(with_home(input.file));
    if constexpr (sizeof(T) == sizeof(float)) require_floats(input.file, read);
    std::vector<Complex<T>> elements;
    elements.reserve(read.data.size());
    for (auto x : read.data) elements.emplace_back(static_cast<T>(x.re), static_cast<T>(x.im));
    Matrix<Complex<T>> matrix(blas.stream(), read.rows, read.cols);
    matrix.upload(blas.stream(), elements);
    return matrix;
}

Json matrix_json(const MatrixInput& input) {
    if (!input.file.empty()) return {{"file", input.file}};
    Json json{
        {"kind", input.spec.kind}, {"condition", input.spec.condition}, {"seed", input.spec.seed}};
    if (input.complex) json["complex"] = true;
    return json;
}

Json stages_json(const std::vector<StageTime>& stages) {
    Json json = Json::array();
    for (auto& stage : stages)
        json.push_back(
            {{"name", stage.name == "frame" ? "total" : stage.name}, {"ms", stage.milliseconds}});
    return json;
}

std::string stages_text(const Json& stages) {
    std::string text;
    for (auto& stage : stages) {
        auto name = stage["name"].get<std::string>();
        if (name == "total") continue;
        if (!text.empty()) text += ", ";
        text += name + " " + three_digits(stage["ms"].get<double>());
    }
    return text;
}

void print_stages_of(const Json& report) {
    for (auto& stage : report["stages"])
        print_entry(stage["name"], three_digits(stage["ms"].get<double>()) + " ms");
}

template <>
Matrix<float> make_input(Blas& blas, const MatrixInput& input, std::vector<double>* known) {
    return input_matrix<float>(blas, input, known);
}
template <>
Matrix<double> make_input(Blas& blas, const MatrixInput& input, std::vector<double>* known) {
    return input_matrix<double>(blas, input, known);
}

template <>
Matrix<Complex<float>> make_complex_input(Blas& blas, const MatrixInput& input) {
    return complex_input<float>(blas, input);
}
template <>
Matrix<Complex<double>> make_complex_input(Blas& blas, const MatrixInput& input) {
    return complex_input<double>(blas, input);
}

}  // namespace tl
