#!/bin/sh
# Puts a Maven project and its dependencies into a directory: 'maven.sh POM DIRECTORY [GOAL…]'.
set -eu
for program in javac mvn; do
	command -v "$program" >/dev/null ||
		{ echo "$program is missing: install a JDK from 17 on and Maven (Debian: openjdk-17-jdk-headless maven)" >&2; exit 1; }
done
pom=$1 directory=$2
shift 2
rm -rf "$directory"
mvn -q -B -ntp -f "$pom" -Dpeers="$PWD/$directory" "$@" dependency:copy-dependencies
touch "$directory/ready"
