check_packages() { :; }
