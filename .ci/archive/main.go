// Command archive writes FOLDER into FILE, a .tar.gz or a .zip, below the folder's own name:
//
//	archive FILE FOLDER
//
// The bytes depend on names, contents and executable bits alone, and on SOURCE_DATE_EPOCH, which is
// the time of each file: entries are sorted, owned by 0, with mode 755 or 644.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// add writes one file (with its content) or folder (a name that ends in a slash) into an archive.
type add func(name string, mode fs.FileMode, content []byte) error

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "archive:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: archive FILE FOLDER")
	}
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH must be a time in seconds: %w", err)
	}
	write := writeTarGz
	if strings.HasSuffix(args[0], ".zip") {
		write = writeZip
	}
	out, err := os.Create(args[0])
	if err != nil {
		return err
	}
	if err := write(out, args[1], time.Unix(epoch, 0).UTC()); err != nil {
		return err
	}
	return out.Close()
}

// walk adds all that is below folder, in the order of names.
func walk(folder string, add add) error {
	return filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		name := path.Join(filepath.Base(folder), filepath.ToSlash(below))
		if entry.IsDir() {
			return add(name+"/", fs.ModeDir|0o755, nil)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if info.Mode()&0o100 != 0 {
			return add(name, 0o755, content)
		}
		return add(name, 0o644, content)
	})
}

func writeTarGz(out *os.File, folder string, when time.Time) error {
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	err = walk(folder, func(name string, mode fs.FileMode, content []byte) error {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: name, Mode: int64(mode.Perm()),
			Size: int64(len(content)), ModTime: when, Format: tar.FormatUSTAR,
		}
		if mode.IsDir() {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err := archive.Write(content)
		return err
	})
	return errors.Join(err, archive.Close(), packed.Close())
}

func writeZip(out *os.File, folder string, when time.Time) error {
	archive := zip.NewWriter(out)
	err := walk(folder, func(name string, mode fs.FileMode, content []byte) error {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: when}
		header.SetMode(mode)
		entry, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		_, err = entry.Write(content)
		return err
	})
	return errors.Join(err, archive.Close())
}
