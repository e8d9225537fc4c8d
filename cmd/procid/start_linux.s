// Empty: where a package has such a file, a function may have its body elsewhere.
