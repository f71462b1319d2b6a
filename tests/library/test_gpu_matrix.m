% Tests of the class gpuMatrix. Listing 4.7 of Brodtkorb 2007 stands first, unchanged.
n = 64;
%Enqueues operation, returns instantly
A = gpuMatrix(rand(n, n));
B = gpuMatrix(rand(n, n));

%Enqueues the multiplication, returns instantly
C = A * B;

%Enqueues the multiplication, returns instantly
D = C*C;

%Enqueues reading back to the CPU, returns instantly
%Note that this function does not need to be called,
%but improves performance
read(D);

%Waits for the read operation to complete, and returns
%the result
d = single(D);

near = @(x, y, e) assert (max (abs (x(:) - y(:))) <= e * max (1, max (abs (y(:)))));
a = double (A);
b = double (B);
assert (class (d), "single");
near (d, (a * b) * (a * b), 1e-6);
near (double (D), (a * b) * (a * b), 1e-13);

% Operators
near (double (2 * A .* B - B ./ (A + 1) + -A / 2), 2 * a .* b - b ./ (a + 1) - a / 2, 1e-14);
near (double (abs (1 - A * 3)), abs (1 - a * 3), 1e-15);
near (double (sqrt (exp (A))), sqrt (exp (a)), 1e-15);
near (double (A'), a', 0);
near (double (A(3:7, 2)), a(3:7, 2), 0);
near (double (A(:, 5:9)), a(:, 5:9), 0);
assert (size (A(3:7, :)), [5, n]);
near (double (A \ B), a \ b, 1e-9);
near (double (B / A), b / a, 1e-9);

% Solvers
[L, U, p] = lu (A);
near (double (L * U), a(double (p), :), 1e-14);
near (double (svd (A)), svd (a), 1e-13);
[U, s, V] = svd (A);
near (double (U) * diag (double (s)) * double (V)', a, 1e-13);
e = double (eig (A));
near (sum (e(:, 1)), trace (a), 1e-12);
[r, pivots] = rref (gpuMatrix ([1 2 3; 2 4 6; 0 0 1]));
near (double (r), [1 2 0; 0 0 1; 0 0 0], 1e-15);
assert (double (pivots)', [1 3 0]);
near (double (inv (A) * A), eye (n), 1e-9);
assert (class (single (gpuMatrix (single (a)))), "single");

% Errors appear where a result is waited for.
function check_error (id, text, call)
  try
    call ();
  catch problem
    assert (problem.identifier, id);
    assert (! isempty (strfind (problem.message, text)));
    return;
  end
  error ("there was no error of %s", id);
end
S = inv (gpuMatrix (zeros (3)));
check_error ("treelight:failed", "singular", @() double (S + S));
check_error ("treelight:invalid", "as many columns", @() double (A * gpuMatrix (ones (2))));
check_error ("treelight:invalid", "full real", @() gpuMatrix ("text"));
check_error ("treelight:invalid", "two indices", @() A(3));
check_error ("treelight:invalid", "follow each other", @() A([1 3], 1));
disp ("all tests of gpuMatrix passed");
