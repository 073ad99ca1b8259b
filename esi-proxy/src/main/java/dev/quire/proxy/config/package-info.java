/**
 * What the operator chose: records read from one YAML file and the command line, checked whole
 * before anything starts. Leaves to others: acting on it. Knows no other package of the proxy.
 */
@NullMarked
package dev.quire.proxy.config;

import org.jspecify.annotations.NullMarked;
